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

import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.PhaseHook;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.DatabaseKind;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that come to their end phase by phase, on one node that lives.
 */
class PhasesTests {

	private static Provider provider;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = RunningApplication.start(List.of(Rides.class), "provider=" + provider.address(),
				"idempotency.completer.enabled=false");
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	@BeforeEach
	void repairTheProvider() {
		provider.failWith((key) -> Fault.NONE);
	}

	@Test
	@Tag("P1")
	void aRideIsMadeOnceAndItsRetryIsAReplay() {
		HttpResponse<byte[]> first = ride("simple");
		assertOriginal(first, 201);
		HttpResponse<byte[]> second = ride("simple");
		assertThat(isReplay(second)).isTrue();
		assertThat(second.body()).isEqualTo(first.body());
		assertCompletedOnce("simple");
	}

	@ParameterizedTest
	@ValueSource(strings = { "in-ride", "after-ride", "before-charge", "in-charge", "after-charge", "in-finish" })
	@Tag("P1")
	void aRetryResumesWhereAFailureHasLeftTheRide(String place) {
		String label = "failing-" + place;
		PhaseHook.once(place, label, () -> {
			throw new IllegalStateException("a bad deploy");
		});
		assertThat(ride(label).statusCode()).isEqualTo(500);
		HttpResponse<byte[]> retry = ride(label);
		assertOriginal(retry, 201);
		assertCompletedOnce(label);
		assertThat(application.jdbc().queryForList("select * from idempotency_lease where namespace <> ''")).isEmpty();
	}

	@Test
	@Tag("P2")
	void aProviderThatIsDownLeavesTheRideResumable() {
		provider.failWith((key) -> Fault.UNAVAILABLE);
		HttpResponse<byte[]> down = ride("down");
		assertProblem(down, 503, "interrupted");
		assertThat(down.headers().firstValue("Retry-After")).isPresent();
		assertProblem(ride("down"), 503, "interrupted");
		provider.failWith((key) -> Fault.ANSWER_LOST);
		assertProblem(ride("down"), 503, "interrupted");
		provider.failWith((key) -> Fault.NONE);
		assertOriginal(ride("down"), 201);
		assertCompletedOnce("down");
	}

	@Test
	@Tag("P3")
	void aDeclinedChargeIsAFinalAnswer() {
		provider.failWith((key) -> Fault.DECLINED);
		HttpResponse<byte[]> declined = ride("declined");
		assertOriginal(declined, 402);
		provider.failWith((key) -> Fault.NONE);
		HttpResponse<byte[]> retry = ride("declined");
		assertThat(isReplay(retry)).isTrue();
		assertThat(retry.statusCode()).isEqualTo(402);
		assertThat(application.effects("declined done")).isZero();
	}

	@Test
	void aChangedRequestIsAMismatchWhileTheRideIsOpen() {
		provider.failWith((key) -> Fault.UNAVAILABLE);
		assertProblem(ride("open"), 503, "interrupted");
		assertProblem(application.post(ALICE, "/rides", "open", "{\"label\":\"changed\"}"), 422, "key-reused");
	}

	@Test
	void phasesThatRunAtTheSameTimeDoNotConflictOverTheirClaims() {
		if (application.database().kind() == DatabaseKind.POSTGRESQL) {
			application.jdbc().execute("analyze");
		}
		AtomicInteger attempts = new AtomicInteger();
		PhaseHook.everywhere((place) -> attempts.incrementAndGet());
		AtomicInteger number = new AtomicInteger();
		List<HttpResponse<byte[]>> rides = Parallel.run(40, () -> ride("parallel-" + number.incrementAndGet()));
		PhaseHook.everywhere((place) -> {
		});
		assertThat(rides).allSatisfy((ride) -> assertOriginal(ride, 201));
		assertThat(new HashSet<>(provider.keys())).hasSizeGreaterThanOrEqualTo(40);
		assertThat(attempts.get()).as("seven places for each ride, and hardly any twice")
			.isBetween(40 * 7, 40 * 7 + 20);
	}

	private static void assertCompletedOnce(String label) {
		assertThat(application.effects(label)).isEqualTo(1);
		assertThat(application.effects(label + " done")).isEqualTo(1);
	}

	private static HttpResponse<byte[]> ride(String label) {
		return application.post(ALICE, "/rides", label, "{\"label\":\"" + label + "\"}");
	}

}
