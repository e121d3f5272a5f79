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
package dev.idempotency.conformance.security;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.ReplayAuthorizer.ReplayAttempt;
import dev.idempotency.account.Account;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The application's own knowledge of a caller is asked for before each replay.
 */
@Tag("Y8")
class ReplayAuthorizerTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Payments.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@AfterEach
	void allowAll() {
		Closed.LABELS.clear();
		Closed.ASKED.clear();
		roles("USER", "PAYER");
	}

	private static void roles(String... roles) {
		application.context()
			.getBean(InMemoryUserDetailsManager.class)
			.updateUser(User.withUsername(ALICE).password("{noop}alice").roles(roles).build());
	}

	@Test
	void aReplayThatTheApplicationDeniesIs403AndTheAnswerStays() {
		HttpResponse<byte[]> first = application.post("/payments", "denied");
		assertOriginal(first, 200);
		assertThat(Closed.ASKED).as("asked for the first request").isEmpty();
		Closed.LABELS.add("denied");
		HttpResponse<byte[]> retry = application.post("/payments", "denied");
		assertThat(retry.statusCode()).isEqualTo(403);
		assertThat(text(retry)).doesNotContain("\"id\"");
		Closed.LABELS.clear();
		assertReplay(application.post("/payments", "denied"), first);
		assertThat(application.effects("denied")).isEqualTo(1);
	}

	@Test
	void itIsAskedWithTheOperationTheAccountAndTheArguments() {
		application.post("/payments", "asked");
		application.post("/payments", "asked");
		assertThat(Closed.ASKED).singleElement().satisfies((attempt) -> {
			assertThat(attempt.operation().name()).isEqualTo("POST /payments");
			assertThat(attempt.account()).isEqualTo(Account.of(ALICE));
			assertThat(attempt.arguments()).containsExactly(new Labelled("asked"));
		});
	}

	/**
	 * The guide says so: the handler does not run, and neither does what it calls.
	 */
	@Test
	void aCheckInACalledServiceIsNotAskedOnAReplayButTheAuthorizerIs() {
		HttpResponse<byte[]> first = application.post("/service-payments", "service");
		assertOriginal(first, 200);
		roles("USER");
		assertReplay(application.post("/service-payments", "service"), first);
		Closed.LABELS.add("service");
		assertThat(application.post("/service-payments", "service").statusCode()).isEqualTo(403);
	}

	@Test
	void itIsAskedForReturnValuesToo() {
		Ledger ledger = application.context().getBean(Ledger.class);
		String first = ledger.enter(new Labelled("value"));
		assertThat(ledger.enter(new Labelled("value"))).isEqualTo(first);
		Closed.LABELS.add("value");
		assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> ledger.enter(new Labelled("value")));
		IdempotencyOperations operations = application.context().getBean(IdempotencyOperations.class);
		IdempotencyRequest request = IdempotencyRequest.of("invoice.pay", "content")
			.withContent(new Labelled("content"));
		assertThat(operations.execute(request, String.class, () -> "paid")).isEqualTo("paid");
		Closed.LABELS.add("content");
		assertThatExceptionOfType(AccessDeniedException.class)
			.isThrownBy(() -> operations.execute(request, String.class, () -> "paid"));
	}

	/**
	 * Knows the payments that are no longer visible.
	 */
	static class Closed implements ReplayAuthorizer {

		static final Set<String> LABELS = ConcurrentHashMap.newKeySet();

		static final List<ReplayAttempt> ASKED = new CopyOnWriteArrayList<>();

		@Override
		public void authorize(ReplayAttempt attempt) {
			ASKED.add(attempt);
			if (attempt.arguments().get(0) instanceof Labelled labelled && LABELS.contains(labelled.label())) {
				throw new AccessDeniedException("closed");
			}
		}

	}

	static class Bank {

		@PreAuthorize("hasRole('PAYER')")
		public void charge() {
			// The permission is what counts.
		}

	}

	static class Ledger {

		private final Effects effects;

		Ledger(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#p0.label()")
		public String enter(Labelled entry) {
			return this.effects.record(entry.label()).getId().toString();
		}

	}

	@RestController
	@EnableMethodSecurity
	@Import({ Bank.class, Ledger.class })
	static class Payments {

		private final Effects effects;

		private final Bank bank;

		Payments(Effects effects, Bank bank) {
			this.effects = effects;
			this.bank = bank;
		}

		@Bean
		static ReplayAuthorizer closed() {
			return new Closed();
		}

		@Idempotent
		@PostMapping("/payments")
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

		@Idempotent
		@PostMapping("/service-payments")
		Map<String, Object> payByService(@RequestBody Labelled payment) {
			this.bank.charge();
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

	}

}
