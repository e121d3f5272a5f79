/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.idempotency.conformance.phase;

import java.util.List;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.authentication.builders.AuthenticationManagerBuilder;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.provisioning.JdbcUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.JdbcEffects;
import dev.idempotency.conformance.app.JpaEffects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.security.config.Customizer.withDefaults;

/**
 * Users in a table. With {@code AuthenticationManagerBuilder.jdbcAuthentication()} no
 * bean knows them: the only user service is the one that Spring Boot generates.
 */
@Tag("P4")
@Tag("Y2")
@ExtendWith(OutputCaptureExtension.class)
class JdbcAuthenticationTests {

	private static final String[] EAGER = { "idempotency.completer.interval=20ms", "idempotency.completer.after=0",
			"idempotency.completer.max-attempts=3", "idempotency.reaper.interval=50ms", "spring.flyway.enabled=false",
			// Without it there is no generated user where OAuth 2.0 is on the class path.
			"spring.security.user.password=generated" };

	private static TestDatabase users() {
		TestDatabase database = TestDatabase.create();
		database.execute(
				"create table users (username text primary key, password text not null, enabled boolean not null)");
		database.execute("create table authorities (username text not null, authority text not null)");
		database.execute("insert into users values ('carol', '{noop}carol', true)");
		database.execute("insert into authorities values ('carol', 'ROLE_USER')");
		return database;
	}

	private static UnfinishedRequests interrupt(RunningApplication application, String label) {
		Errands.fail(label);
		assertThat(application.post("carol", "/errands/home?speed=3", label, Labelled.json(label)).statusCode())
			.isEqualTo(500);
		Errands.repair(label);
		return application.context().getBean(UnfinishedRequests.class);
	}

	@Test
	void aUserWhomTheGeneratedUserServiceDoesNotKnowIsNotStuckAndGoesOnWithARetry(CapturedOutput output) {
		try (RunningApplication application = RunningApplication.startAlone(users(),
				List.of(Errands.class, Builder.class), EAGER)) {
			assertThat(application.context().getBean(UserDetailsService.class)).as("Spring Boot's generated user")
				.isInstanceOf(InMemoryUserDetailsManager.class);
			assertThat(application.context().getBeanNamesForType(AccountRunner.class)).isEmpty();
			assertThat(output).contains("IDEM-1003");
			UnfinishedRequests requests = interrupt(application, "jdbc-generated");
			assertThat(requests.stuck(10)).isEmpty();
			assertThat(requests.open(10)).singleElement().extracting(UnfinishedRequest::attempts).isEqualTo(1);
			assertOriginal(application.post("carol", "/errands/home?speed=3", "jdbc-generated",
					Labelled.json("jdbc-generated")), 201);
			assertThat(application.effects("jdbc-generated done")).isEqualTo(1);
		}
	}

	@Test
	void anApplicationWithNothingToCompleteIsNotWarned(CapturedOutput output) {
		try (RunningApplication application = RunningApplication.startAlone(users(),
				List.of(Handlers.class, Builder.class), EAGER)) {
			assertThat(application.context().getBeanNamesForType(AccountRunner.class)).isEmpty();
			assertThat(output).doesNotContain("IDEM-1003");
		}
	}

	@Test
	void aUserOfATableThatABeanKnowsIsCompleted() {
		try (RunningApplication application = RunningApplication.startAlone(users(),
				List.of(Errands.class, Exposed.class), EAGER)) {
			UnfinishedRequests requests = interrupt(application, "jdbc-bean");
			await().until(() -> requests.open(10).isEmpty());
			assertThat(application.effects("jdbc-bean done")).isEqualTo(1);
		}
	}

	@RestController
	static class Handlers {

		@Idempotent
		@PostMapping("/notes")
		String note() {
			return "noted";
		}

	}

	/**
	 * HTTP Basic, and no users.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ JpaEffects.class, JdbcEffects.class })
	static class Secured {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.httpBasic(withDefaults())
				.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Secured.class)
	static class Builder {

		@Autowired
		void users(AuthenticationManagerBuilder authentication, DataSource dataSource) {
			authentication.jdbcAuthentication().dataSource(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Secured.class)
	static class Exposed {

		@Bean
		JdbcUserDetailsManager users(DataSource dataSource) {
			return new JdbcUserDetailsManager(dataSource);
		}

	}

}
