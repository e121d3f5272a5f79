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

import jakarta.servlet.DispatcherType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.UserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import dev.idempotency.account.AccountRunner;
import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.security.config.Customizer.withDefaults;

/**
 * The completer does not act for senders who may no longer act. It leaves requests to
 * their senders for an hour here, and takes up what an operator lets go on at once.
 */
@Tag("P4")
class CompleterAccountTests {

	private static RunningApplication application;

	private static UnfinishedRequests requests;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Errands.class, Guarded.class),
				"idempotency.completer.interval=20ms", "idempotency.completer.after=1h",
				"idempotency.completer.max-attempts=2", "idempotency.completer.backoff.initial=1ms",
				"idempotency.completer.backoff.max=1ms", "idempotency.reaper.interval=50ms");
		requests = application.context().getBean(UnfinishedRequests.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aUserWhoStillMayActIsTheControl() {
		String id = interrupt("control", "/payer-errands");
		assertThat(requests.retry(id)).isTrue();
		await().until(() -> requests.find(id).isEmpty());
		assertThat(application.effects("control done")).isEqualTo(1);
		String guarded = interrupt("guarded-control", "/guarded/errands");
		assertThat(requests.retry(guarded)).isTrue();
		await().until(() -> requests.find(guarded).isEmpty());
		assertThat(application.effects("guarded-control done")).isEqualTo(1);
	}

	@Test
	void aUserWhoIsGoneDoesNotAct() {
		String id = interrupt("gone", "/errands/home?speed=3");
		users().deleteUser("gone");
		assertRefused(id, "gone", "UsernameNotFoundException");
	}

	@Test
	void aUserWhoIsDisabledOrLockedDoesNotAct() {
		String disabled = interrupt("disabled", "/errands/home?speed=3");
		String locked = interrupt("locked", "/errands/home?speed=3");
		users().updateUser(user("disabled").disabled(true).build());
		users().updateUser(user("locked").accountLocked(true).build());
		assertRefused(disabled, "disabled", "DisabledException");
		assertRefused(locked, "locked", "LockedException");
	}

	@Test
	@Tag("Y2")
	void aUserWhoHasLostTheRoleIsRefusedByMethodSecurity() {
		String id = interrupt("demoted", "/payer-errands");
		users().updateUser(user("demoted").roles("USER").build());
		assertRefused(id, "demoted", "AuthorizationDeniedException");
	}

	@Test
	@Tag("Y2")
	void aUserWhoHasLostTheRoleIsRefusedByTheRulesForPaths() {
		String id = interrupt("degraded", "/guarded/errands");
		users().updateUser(user("degraded").roles("USER").build());
		assertRefused(id, "degraded", "AccessDeniedException");
	}

	@Test
	void anAccountRunnerThatActsAsSomebodyElseIsRefused() {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication confused = RunningApplication.start(database, List.of(Errands.class, Confused.class),
				"idempotency.completer.interval=20ms", "idempotency.completer.after=0",
				"idempotency.completer.max-attempts=1", "idempotency.reaper.interval=50ms")) {
			Errands.fail("confused");
			assertThat(
					confused.post("bob", "/errands/home?speed=3", "confused", Labelled.json("confused")).statusCode())
				.isEqualTo(500);
			Errands.repair("confused");
			UnfinishedRequests own = confused.context().getBean(UnfinishedRequests.class);
			await().untilAsserted(() -> assertThat(own.stuck(1)).hasSize(1));
			assertThat(own.stuck(1).get(0).lastError()).contains("OtherAccountException");
			assertThat(Errands.runs("confused")).isEqualTo(1);
		}
	}

	/**
	 * Makes a user whose request does not come to its end.
	 * @return the id of the request
	 */
	private static String interrupt(String name, String path) {
		users().createUser(user(name).build());
		Errands.fail(name);
		assertThat(application.post(name, path, name, Labelled.json(name)).statusCode()).isEqualTo(500);
		Errands.repair(name);
		return requests.open(100)
			.stream()
			.filter((request) -> requests.export(request.id()).orElseThrow().command().account().id().equals(name))
			.findFirst()
			.orElseThrow()
			.id();
	}

	private static void assertRefused(String id, String label, String error) {
		assertThat(requests.retry(id)).isTrue();
		await().untilAsserted(() -> assertThat(requests.find(id).map(UnfinishedRequest::state)).contains(State.STUCK));
		UnfinishedRequest stuck = requests.find(id).orElseThrow();
		assertThat(stuck.attempts()).isEqualTo(3);
		assertThat(stuck.lastError()).contains(error);
		assertThat(Errands.runs(label)).as("runs of the handler").isEqualTo(1);
		assertThat(application.effects(label + " done")).isZero();
	}

	private static UserDetailsManager users() {
		return (UserDetailsManager) application.context().getBean(UserDetailsService.class);
	}

	private static User.UserBuilder user(String name) {
		return User.withUsername(name).password("{noop}" + name).roles("USER", "PAYER");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class Guarded {

		@Bean
		@Order(1)
		SecurityFilterChain guarded(HttpSecurity http) {
			return http.securityMatcher("/guarded/**")
				.csrf((csrf) -> csrf.disable())
				.httpBasic(withDefaults())
				// The first rule asks for more than method and path.
				.authorizeHttpRequests((requests) -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
					.permitAll()
					.anyRequest()
					.hasRole("PAYER"))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Confused {

		@Bean
		AccountRunner confusedAccountRunner(UserDetailsService users) {
			return (account, work) -> {
				UserDetails alice = users.loadUserByUsername("alice");
				var context = SecurityContextHolder.createEmptyContext();
				context.setAuthentication(
						UsernamePasswordAuthenticationToken.authenticated(alice, null, alice.getAuthorities()));
				SecurityContextHolder.setContext(context);
				try {
					work.run();
				}
				finally {
					SecurityContextHolder.clearContext();
				}
			};
		}

	}

}
