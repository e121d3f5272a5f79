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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.PhaseHook;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.RawConnection;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Faults around a ride while its process lives: the list of the article, and the
 * behaviour of an owner that has lost its lease.
 */
@Tag("postgresql")
@Tag("P1")
class PhaseFaultTests {

	private static Provider provider;

	private static FaultyProxy proxy;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		provider = new Provider();
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(Rides.class), "provider=" + provider.address(),
				"spring.datasource.hikari.connection-timeout=2000", "idempotency.lease.duration=2s",
				"idempotency.reaper.enabled=false", "idempotency.completer.enabled=false");
	}

	@AfterEach
	void repair() {
		proxy.repair();
		application.awaitDatabase();
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
		provider.close();
	}

	/**
	 * Sends the ride again until it is not in progress any more: a lease may have to run
	 * out.
	 */
	private static HttpResponse<byte[]> retry(String label) {
		return await().atMost(60, TimeUnit.SECONDS)
			.until(() -> application.post("/rides", label), (answer) -> answer.statusCode() < 400);
	}

	private static void assertOneOfEach(String label) {
		assertThat(application.effects(label)).isEqualTo(1);
		assertThat(application.effects(label + " done")).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "in-ride, REPLY_LOST", "in-ride, REQUEST_LOST", "in-charge, REPLY_LOST", "in-charge, REQUEST_LOST" })
	void aStepWhoseCommitIsInDoubtIsNeitherLostNorDoneTwice(String place, CommitFault fault) {
		String label = place + "-" + fault;
		PhaseHook.once(place, label, () -> proxy.failNextCommit(fault));
		HttpResponse<byte[]> first = application.post("/rides", label);
		if (place.equals("in-ride") && fault == CommitFault.REQUEST_LOST) {
			assertProblem(first, 503, "store-unavailable");
			assertOriginal(retry(label), 201);
		}
		else if (place.equals("in-ride")) {
			assertOriginal(first, 201);
			assertReplay(retry(label), first);
		}
		else {
			// The result of a charge is a statement that commits itself: the next commit
			// is
			// that of the last phase.
			assertThat(first.statusCode()).isIn(201, 503);
			retry(label);
		}
		assertOneOfEach(label);
	}

	@Test
	void aLastPhaseWhoseCommitHasNoReplyIsFoundOutToHaveHappened() {
		PhaseHook.once("in-finish", "finish-reply", () -> proxy.failNextCommit(CommitFault.REPLY_LOST));
		HttpResponse<byte[]> first = application.post("/rides", "finish-reply");
		assertOriginal(first, 201);
		assertReplay(application.post("/rides", "finish-reply"), first);
		assertOneOfEach("finish-reply");
	}

	@ParameterizedTest
	@ValueSource(strings = { "in-ride", "after-ride", "in-charge", "in-finish" })
	void aDatabaseThatGoesDownLeavesTheRideResumable(String place) {
		String label = "down-" + place;
		PhaseHook.once(place, label, proxy::goDown);
		assertThat(application.post("/rides", label).statusCode()).isIn(500, 503);
		proxy.goUp();
		application.awaitDatabase();
		assertOriginal(retry(label), 201);
		assertOneOfEach(label);
	}

	@ParameterizedTest
	@ValueSource(strings = { "in-ride", "before-charge", "in-charge", "in-finish" })
	@Tag("X10")
	void anOwnerWhoLostItsLeaseChangesNothing(String place) throws Exception {
		String label = "zombie-" + place;
		CountDownLatch reached = new CountDownLatch(1);
		CountDownLatch proceed = new CountDownLatch(1);
		PhaseHook.once(place, label, () -> {
			reached.countDown();
			await().until(() -> proceed.getCount() == 0);
		});
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/rides", label));
		assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
		int charges = provider.charges().size();
		boolean chargedBefore = place.equals("in-charge") || place.equals("in-finish");
		if (place.startsWith("in-ride") || place.equals("in-finish")) {
			// The phase holds its claim as long as its connection lives.
			assertThat(application.post("/rides", label).statusCode()).isEqualTo(409);
			proceed.countDown();
			assertOriginal(owner.get(60, TimeUnit.SECONDS), 201);
		}
		else {
			application.jdbc()
				.update("update idempotency_lease set lease_until = clock_timestamp() - interval '1 s', "
						+ "fence = fence + 1 where namespace <> ''");
			HttpResponse<byte[]> heir = retry(label);
			assertOriginal(heir, 201);
			proceed.countDown();
			assertProblem(owner.get(60, TimeUnit.SECONDS), 409, "in-progress");
			assertReplay(application.post("/rides", label), heir);
		}
		assertThat(provider.charges().size() - charges).isEqualTo(chargedBefore ? 0 : 1);
		assertOneOfEach(label);
	}

	@Test
	@Tag("X6")
	void aConnectionThatBreaksBeforeTheRequestIsCompleteLeavesNothing() throws Exception {
		try (RawConnection client = RawConnection.open(application)) {
			client
				.post(ALICE, "/rides",
						"Idempotency-Key: half\r\nContent-Type: application/json\r\nContent-Length: 16\r\n")
				.send("{\"label\"");
			client.reset();
		}
		assertOriginal(application.post("/rides", "half"), 201);
		assertOneOfEach("half");
	}

	@ParameterizedTest
	@ValueSource(strings = { "in-ride", "in-charge", "in-finish" })
	@Tag("X6")
	void aConnectionThatBreaksWhileTheRideIsMadeDoesNotStopIt(String place) throws Exception {
		String label = "gone-" + place;
		CountDownLatch reached = new CountDownLatch(1);
		CountDownLatch gone = new CountDownLatch(1);
		PhaseHook.once(place, label, () -> {
			reached.countDown();
			await().until(() -> gone.getCount() == 0);
		});
		try (RawConnection client = RawConnection.open(application)) {
			client.postJson(ALICE, "/rides", label, Labelled.json(label));
			assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
			client.reset();
		}
		gone.countDown();
		await().until(() -> application.effects(label + " done") == 1);
		assertThat(isReplay(application.post("/rides", label))).isTrue();
		assertOneOfEach(label);
	}

	@Test
	@Tag("C1")
	void ofManyCreationsAtOnceOneRideIsMade() {
		List<HttpResponse<byte[]>> answers = Parallel.run(20, () -> application.post("/rides", "at-once"));
		assertThat(answers).allSatisfy((answer) -> assertThat(answer.statusCode()).isIn(201, 409));
		assertThat(answers).anySatisfy((answer) -> assertThat(answer.statusCode()).isEqualTo(201));
		retry("at-once");
		assertOneOfEach("at-once");
	}

}
