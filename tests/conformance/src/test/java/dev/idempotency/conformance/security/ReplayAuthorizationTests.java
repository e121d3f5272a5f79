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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.aspectj.lang.annotation.AfterThrowing;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.JdbcEffects;
import dev.idempotency.conformance.app.JpaEffects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Every authorization rule is asked before a replay, or the application does not start.
 */
@Tag("Y8")
class ReplayAuthorizationTests {

	private static RunningApplication start(Class<?>... sources) {
		List<Class<?>> all = new ArrayList<>(List.of(sources));
		all.add(MethodSecurity.class);
		return RunningApplication.start(all);
	}

	private static InvalidIdempotentException failure(Class<?>... sources) {
		return failure(() -> start(sources).close());
	}

	private static InvalidIdempotentException failureAlone(Class<?>... sources) {
		return failure(() -> RunningApplication.startAlone(TestDatabase.create(), List.of(sources)).close());
	}

	private static InvalidIdempotentException failure(ThrowingCallable start) {
		Throwable thrown = catchThrowable(start);
		assertThat(thrown).as("the application starts").isNotNull();
		Throwable cause = thrown;
		while (!(cause instanceof InvalidIdempotentException) && cause.getCause() != null) {
			cause = cause.getCause();
		}
		assertThat(cause).isInstanceOf(InvalidIdempotentException.class);
		return (InvalidIdempotentException) cause;
	}

	@Test
	void methodSecurityBehindTheClaimStopsTheApplication() {
		InvalidIdempotentException failure = failureAlone(Payments.class, LateSecurity.class);
		assertThat(failure).hasMessageContaining("Payments#pay")
			.hasMessageContaining("order 1200")
			.hasMessageContaining("@EnableMethodSecurity");
	}

	@Test
	void postAuthorizeOnAnEndpointStopsTheApplication() {
		assertThat(failure(PostAuthorized.class)).hasMessageContaining("PostAuthorized#pay")
			.hasMessageContaining("@PostAuthorize")
			.hasMessageContaining("ReplayAuthorizer");
	}

	@Test
	void anAspectWithoutAnOrderStopsTheApplication() {
		assertThat(failure(Payments.class, UnorderedCheck.class)).hasMessageContaining(UnorderedCheck.class.getName())
			.hasMessageContaining("@Order(900)")
			.hasMessageContaining("@Order(2000)");
	}

	@Test
	void anAspectThatOnlySeesFailuresNeedsNoOrder() {
		try (RunningApplication application = start(Payments.class, FailureLog.class)) {
			HttpResponse<byte[]> first = application.post("/payments", "logged");
			assertOriginal(first, 200);
			assertReplay(application.post("/payments", "logged"), first);
			assertThat(FailureLog.SEEN).isEmpty();
		}
	}

	@Test
	void methodSecurityBehindTheClaimOfAServiceStopsTheApplication() {
		assertThat(failureAlone(Bank.class, LateSecurity.class)).hasMessageContaining("Bank#charge");
	}

	@Test
	void postAuthorizeOnAServiceIsAskedWithTheStoredReturnValue() {
		try (RunningApplication application = start(Ledger.class, LedgerController.class)) {
			Ledger.READERS.add(ALICE);
			assertThat(post(application, "ledger").statusCode()).isEqualTo(200);
			Ledger.READERS.remove(ALICE);
			assertThat(post(application, "ledger").statusCode()).isEqualTo(403);
			Ledger.READERS.add(ALICE);
			HttpResponse<byte[]> replay = post(application, "ledger");
			assertThat(replay.statusCode()).isEqualTo(200);
			assertThat(new String(replay.body(), StandardCharsets.UTF_8)).isEqualTo("entry of ledger");
			assertThat(Ledger.RUNS).hasValue(1);
			assertThat(Ledger.ASKED).containsExactly("entry of ledger", "entry of ledger", "entry of ledger");
		}
	}

	private static HttpResponse<byte[]> post(RunningApplication application, String key) {
		return application.post(ALICE, "/ledger", "unused", Labelled.json(key));
	}

	@Test
	void anAspectInFrontOfTheClaimIsAskedOnAReplay() {
		try (RunningApplication application = start(Payments.class, OrderedCheck.class)) {
			HttpResponse<byte[]> first = application.post("/payments", "ordered");
			assertOriginal(first, 200);
			assertReplay(application.post("/payments", "ordered"), first);
			OrderedCheck.DENIED.add(ALICE);
			try {
				assertThat(application.post("/payments", "ordered").statusCode()).isEqualTo(403);
			}
			finally {
				OrderedCheck.DENIED.remove(ALICE);
			}
			assertReplay(application.post("/payments", "ordered"), first);
		}
	}

	@Test
	void anAspectThatIsOrderedBehindTheClaimRunsOnceWithTheEffects() {
		try (RunningApplication application = start(Payments.class, LateAspect.class)) {
			HttpResponse<byte[]> first = application.post("/payments", "late");
			assertReplay(application.post("/payments", "late"), first);
			assertThat(LateAspect.CALLS).hasSize(1);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class MethodSecurity {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity(offset = 1000)
	@Import({ JpaEffects.class, JdbcEffects.class })
	static class LateSecurity {

	}

	@Aspect
	static class UnorderedCheck {

		@Before("execution(* dev.idempotency.conformance.security.ReplayAuthorizationTests.Payments.*(..))")
		void check() {
			// Its decision cannot be known.
		}

	}

	@Aspect
	static class FailureLog {

		static final Set<Throwable> SEEN = ConcurrentHashMap.newKeySet();

		@AfterThrowing(
				pointcut = "execution(* dev.idempotency.conformance.security.ReplayAuthorizationTests.Payments.*(..))",
				throwing = "failure")
		void log(Throwable failure) {
			SEEN.add(failure);
		}

	}

	@Aspect
	@Order(900)
	static class OrderedCheck {

		static final Set<String> DENIED = ConcurrentHashMap.newKeySet();

		@Before("execution(* dev.idempotency.conformance.security.ReplayAuthorizationTests.Payments.*(..))")
		void check() {
			if (DENIED.contains(SecurityContextHolder.getContext().getAuthentication().getName())) {
				throw new AccessDeniedException("no longer");
			}
		}

	}

	@Aspect
	@Order(2000)
	static class LateAspect {

		static final Set<Object> CALLS = ConcurrentHashMap.newKeySet();

		@Before("execution(* dev.idempotency.conformance.security.ReplayAuthorizationTests.Payments.*(..))")
		void count() {
			CALLS.add(new Object());
		}

	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		@PreAuthorize("hasRole('PAYER')")
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

	}

	@RestController
	static class PostAuthorized {

		private final Effects effects;

		PostAuthorized(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		@PostAuthorize("hasRole('PAYER')")
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

	}

	@RestController
	static class LedgerController {

		private final Ledger ledger;

		LedgerController(Ledger ledger) {
			this.ledger = ledger;
		}

		@PostMapping("/ledger")
		String write(@RequestBody Labelled entry) {
			return this.ledger.write(entry.label());
		}

	}

	/**
	 * A protected service that asks who may have what it returns.
	 */
	static class Ledger {

		static final Set<String> READERS = ConcurrentHashMap.newKeySet();

		static final List<String> ASKED = new CopyOnWriteArrayList<>();

		static final AtomicInteger RUNS = new AtomicInteger();

		@Idempotent(key = "#p0")
		@PostAuthorize("T(dev.idempotency.conformance.security.ReplayAuthorizationTests$Ledger).mayRead(returnObject, authentication.name)")
		public String write(String label) {
			RUNS.incrementAndGet();
			return "entry of " + label;
		}

		public static boolean mayRead(String entry, String reader) {
			ASKED.add(entry);
			return READERS.contains(reader);
		}

	}

	/**
	 * A protected service that asks for a role.
	 */
	static class Bank {

		@Idempotent(key = "#p0")
		@PreAuthorize("hasRole('PAYER')")
		public String charge(String key) {
			return key;
		}

	}

}
