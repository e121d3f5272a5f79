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

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.web.filter.OncePerRequestFilter;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.StoreWatch;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers without permission, and callers who have lost it. A request refused in front of
 * the handler does not reach the store.
 */
class AuthorizationTests {

	private static RunningApplication application;

	private static StoreWatch store;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(AuthorizedPayments.class, StoreWatch.class));
		store = application.context().getBean(StoreWatch.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@AfterEach
	void restoreRoles() {
		roles("USER", "PAYER");
	}

	private static void roles(String... roles) {
		application.context()
			.getBean(InMemoryUserDetailsManager.class)
			.updateUser(User.withUsername(ALICE).password("{noop}alice").roles(roles).build());
	}

	private static HttpResponse<byte[]> pay(String user, String path, String key) {
		return application.post(user, path, key, Labelled.json(key));
	}

	@Test
	@Tag("X5")
	void whatFiltersRefuseDoesNotReachTheStore() {
		int calls = store.calls();
		assertThat(application
			.send(application.anonymous("/ruled/payments")
				.header("Idempotency-Key", "x5-401")
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofString(Labelled.json("x5-401"))))
			.statusCode()).isEqualTo(401);
		assertThat(pay(BOB, "/ruled/payments", "x5-403").statusCode()).isEqualTo(403);
		assertThat(application
			.send(application.json(ALICE, "/ruled/payments", Labelled.json("x5-429"))
				.header("Idempotency-Key", "x5-429")
				.header("X-Too-Many", "true"))
			.statusCode()).isEqualTo(429);
		assertThat(store.calls()).isEqualTo(calls);
		assertOriginal(pay(ALICE, "/ruled/payments", "x5-429"), 201);
		assertThat(store.calls()).isGreaterThan(calls);
	}

	@Test
	@Tag("X5")
	void whatMethodSecurityRefusesOnTheControllerDoesNotReachTheStore() {
		int calls = store.calls();
		assertThat(pay(BOB, "/payments", "x5-method").statusCode()).isEqualTo(403);
		assertThat(store.calls()).isEqualTo(calls);
		assertThat(application.effects("x5-method")).isZero();
	}

	@Test
	@Tag("X5")
	void whatMethodSecurityRefusesInAServiceIsRolledBackAndNotStored() {
		roles("USER");
		long records = application.records();
		assertThat(pay(ALICE, "/service-payments", "x5-service").statusCode()).isEqualTo(403);
		assertThat(application.effects("x5-service")).isZero();
		assertThat(application.records()).isEqualTo(records);
		roles("USER", "PAYER");
		assertOriginal(pay(ALICE, "/service-payments", "x5-service"), 201);
		assertThat(application.effects("x5-service")).isEqualTo(1);
	}

	@Test
	@Tag("Y1")
	void anUnauthenticatedRetryGetsNoByteOfTheStoredAnswer() {
		HttpResponse<byte[]> first = pay(ALICE, "/payments", "y1");
		assertOriginal(first, 201);
		HttpResponse<byte[]> retry = application.send(application.anonymous("/payments")
			.header("Idempotency-Key", "y1")
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(Labelled.json("y1"))));
		assertThat(retry.statusCode()).isEqualTo(401);
		assertThat(text(retry)).doesNotContain("\"id\"");
		assertThat(retry.headers().firstValue("Idempotent-Replayed")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/payments", "/ruled/payments" })
	@Tag("Y2")
	void aCallerWhoseRoleWasRevokedGetsNoReplay(String path) {
		String key = "y2" + path.replace('/', '-');
		HttpResponse<byte[]> first = pay(ALICE, path, key);
		assertOriginal(first, 201);
		roles("USER");
		HttpResponse<byte[]> retry = pay(ALICE, path, key);
		assertThat(retry.statusCode()).isEqualTo(403);
		assertThat(text(retry)).doesNotContain("\"id\"");
		roles("USER", "PAYER");
		assertReplay(pay(ALICE, path, key), first);
		assertThat(application.effects(key)).isEqualTo(1);
	}

	/**
	 * A service that itself requires a role, behind an effect.
	 */
	static class Bank {

		@PreAuthorize("hasRole('PAYER')")
		public void charge() {
			// The permission is what counts.
		}

	}

	/**
	 * A rate limiter of the simplest kind.
	 */
	static class TooManyRequestsFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			if (request.getHeader("X-Too-Many") != null) {
				response.sendError(HttpStatus.TOO_MANY_REQUESTS.value());
				return;
			}
			chain.doFilter(request, response);
		}

	}

}
