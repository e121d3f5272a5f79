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

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.UserDetailsManager;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.account.Sender;
import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.NamedCallers;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Senders who are no users of the application, and its own {@link AccountRunner}. The
 * completer leaves requests to their senders for an hour here, and takes up what an
 * operator lets go on at once.
 */
@Tag("Y9")
class CompleterAuthorityTests {

	static final String[] SETTINGS = { "idempotency.completer.interval=20ms", "idempotency.completer.after=1h",
			"idempotency.completer.max-attempts=1", "idempotency.reaper.interval=50ms" };

	private static RunningApplication application;

	private static UnfinishedRequests requests;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Vault.class, Filtered.class), SETTINGS);
		requests = application.context().getBean(UnfinishedRequests.class);
		users(application).createUser(user("ops").roles("ADMIN", "CUSTOMER").build());
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private static UserDetailsManager users(RunningApplication running) {
		return (UserDetailsManager) running.context().getBean(UserDetailsService.class);
	}

	private static User.UserBuilder user(String name) {
		return User.withUsername(name).password("{noop}" + name);
	}

	/**
	 * Sends a request as a caller that a filter of the application has authenticated.
	 */
	private static HttpResponse<byte[]> sendAs(String label, Authentication caller) {
		NamedCallers.register(label, () -> caller);
		return application.send(application.anonymous("/open/vault")
			.header(NamedCallers.HEADER, label)
			.header("Idempotency-Key", label)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(Labelled.json(label))));
	}

	private static String interruptAs(String label, Authentication caller) {
		Vault.FAILING.add(label);
		assertThat(sendAs(label, caller).statusCode()).isEqualTo(500);
		return release(label);
	}

	private static String interrupt(String user) {
		Vault.FAILING.add(user);
		assertThat(application.post(user, "/open/vault", user, Labelled.json(user)).statusCode()).isEqualTo(500);
		return release(user);
	}

	private static String release(String label) {
		Vault.FAILING.remove(label);
		return requests.open(100)
			.stream()
			.filter((request) -> label
				.equals(requests.export(request.id()).orElseThrow().steps().get("begun").replace("\"", "")))
			.findFirst()
			.orElseThrow()
			.id();
	}

	static UnfinishedRequest awaitStuck(UnfinishedRequests unfinished, String id) {
		assertThat(unfinished.retry(id)).isTrue();
		await()
			.untilAsserted(() -> assertThat(unfinished.find(id).map(UnfinishedRequest::state)).contains(State.STUCK));
		return unfinished.find(id).orElseThrow();
	}

	@Test
	void filtersOfTheApplicationAreNotRunForACompletedRequest() {
		users(application).createUser(user("filtered").roles("CUSTOMER").build());
		String id = interrupt("filtered");
		long filtered = Filtered.REQUESTS.get();
		assertThat(filtered).isPositive();
		assertThat(requests.retry(id)).isTrue();
		await().until(() -> requests.find(id).isEmpty());
		assertThat(Vault.runs("filtered")).isEqualTo(2);
		assertThat(Filtered.REQUESTS.get()).isEqualTo(filtered);
	}

	@Test
	void aTokenUserIsNotTheLocalUserOfThatName() {
		String id = interruptAs("token-ops", ApiToken.of("ops", "", "ROLE_CUSTOMER"));
		assertThat(awaitStuck(requests, id).lastError()).contains("SenderRefusedException", ApiToken.class.getName(),
				"Declare an AccountRunner bean");
		assertThat(Vault.runs("token-ops")).isEqualTo(1);
	}

	@Test
	void aUserThatAFilterHasMadeUpIsNotTheLocalUserOfThatName() {
		User made = new User("ops", "", AuthorityUtils.createAuthorityList("ROLE_CUSTOMER"));
		String id = interruptAs("made-up-ops",
				UsernamePasswordAuthenticationToken.authenticated(made, null, made.getAuthorities()));
		assertThat(awaitStuck(requests, id).lastError()).contains("SenderRefusedException", "not by own credentials");
		assertThat(Vault.runs("made-up-ops")).isEqualTo(1);
	}

	@Test
	void aPrincipalThatMayBeACredentialIsNotStored() {
		String secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
		interruptAs("api-key", ApiToken.of(secret, secret));
		interruptAs("api-key-alone", ApiToken.of(secret + "x", ""));
		String stored = application.jdbc()
			.queryForList("select id, account, operation, command, steps from idempotency_lease where namespace <> ''")
			.stream()
			.flatMap((row) -> row.values().stream())
			.map((value) -> (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.ISO_8859_1)
					: String.valueOf(value))
			.collect(Collectors.joining("\n"));
		assertThat(stored).contains("/open/vault").doesNotContain(secret);
	}

	@Test
	void theRunnerOfTheApplicationGetsTheWholeSenderAndNoCredentials() {
		try (RunningApplication running = RunningApplication.start(List.of(Vault.class, Tokens.class), SETTINGS)) {
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
	 * Counts the requests that it sees.
	 */
	static class Filtered implements Filter {

		static final AtomicLong REQUESTS = new AtomicLong();

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			REQUESTS.incrementAndGet();
			chain.doFilter(request, response);
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
