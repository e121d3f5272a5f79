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

import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.servlet.Filter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.account.Sender;
import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.NamedCallers;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The completer in applications that have their own {@link AccountRunner}, or that wrap
 * the filter of Spring Security.
 */
@Tag("Y9")
class CompleterSecurityTests {

	@Test
	void theRunnerOfTheApplicationGetsTheWholeSenderAndNoCredentials() {
		try (RunningApplication running = RunningApplication.start(List.of(Vault.class, Tokens.class),
				CompleterAuthorityTests.SETTINGS)) {
			Vault.FAILING.add("whole");
			NamedCallers.register("whole", () -> ApiToken.of("merchant", "a-credential", "ROLE_CUSTOMER"));
			assertThat(running
				.send(running.anonymous("/open/vault")
					.header(NamedCallers.HEADER, "whole")
					.header("Idempotency-Key", "whole")
					.header("Content-Type", "application/json")
					.POST(BodyPublishers.ofString(Labelled.json("whole"))))
				.statusCode()).isEqualTo(500);
			Vault.FAILING.remove("whole");
			UnfinishedRequests own = running.context().getBean(UnfinishedRequests.class);
			assertThat(own.retry(own.open(1).get(0).id())).isTrue();
			await().until(() -> own.open(1).isEmpty());
			assertThat(running.effects("whole done by merchant with ROLE_CUSTOMER")).isEqualTo(1);
			assertThat(running.context().getBean(Tokens.class).senders).singleElement().satisfies((sender) -> {
				assertThat(sender.account()).isEqualTo(Account.of("merchant"));
				assertThat(sender.authenticationType()).isEqualTo(ApiToken.class.getName());
				assertThat(sender.authorities()).containsExactly("ROLE_CUSTOMER");
				assertThat(sender.toString()).doesNotContain("a-credential");
			});
		}
	}

	@Test
	void aSecurityThatCannotBeInspectedIsRefused() {
		try (RunningApplication wrapped = RunningApplication.start(List.of(Errands.class, Wrapping.class),
				CompleterAuthorityTests.SETTINGS)) {
			Errands.fail("wrapped");
			assertThat(wrapped.post("alice", "/payer-errands", "wrapped", Labelled.json("wrapped")).statusCode())
				.isEqualTo(500);
			Errands.repair("wrapped");
			UnfinishedRequests own = wrapped.context().getBean(UnfinishedRequests.class);
			UnfinishedRequest stuck = CompleterAuthorityTests.awaitStuck(own, own.open(1).get(0).id());
			assertThat(stuck.lastError()).contains("springSecurityFilterChain", "cannot be evaluated");
			assertThat(Errands.runs("wrapped")).isEqualTo(1);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class Wrapping {

		@Bean
		static BeanPostProcessor wrapping() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (name.equals("springSecurityFilterChain") && bean instanceof Filter filter)
							? (Filter) filter::doFilter : bean;
				}

			};
		}

	}

	/**
	 * Acts for the bearers of tokens.
	 */
	static class Tokens implements AccountRunner {

		private final List<Sender> senders = new CopyOnWriteArrayList<>();

		@Override
		public void run(Sender sender, Work work) throws Exception {
			this.senders.add(sender);
			var context = SecurityContextHolder.createEmptyContext();
			context
				.setAuthentication(ApiToken.of(sender.account().id(), "", sender.authorities().toArray(String[]::new)));
			SecurityContextHolder.setContext(context);
			try {
				work.run();
			}
			finally {
				SecurityContextHolder.clearContext();
			}
		}

	}

}
