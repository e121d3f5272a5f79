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
package dev.idempotency.conformance.replay;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.store.IdempotencyStore;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Time to live. The tests move the end of a record's life, not a clock. No reaper runs,
 * so that expired records still exist.
 */
class TimeTests {

	private static final Random RANDOM = new Random();

	private static final int NODES = 3;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(TimedPayments.class, "idempotency.reaper.enabled=false",
				"idempotency.ttl=2h", "idempotency.retention.client-error=10m");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void empty() {
		application.jdbc().update("delete from idempotency_record");
	}

	private static HttpResponse<byte[]> pay(String path, String key) {
		return application.post(ALICE, path, key, Labelled.json(key));
	}

	private static void endLife(String interval) {
		application.jdbc()
			.update("update idempotency_record set expires_at = clock_timestamp() + interval '" + interval + "'");
	}

	@Test
	@Tag("T1")
	void beforeItsEndARecordIsReplayedAndAfterItsEndTheRequestRunsAgain() {
		HttpResponse<byte[]> first = pay("/payments", "t1");
		assertOriginal(first, 201);
		endLife("1 minute");
		assertReplay(pay("/payments", "t1"), first);
		endLife("0 s");
		HttpResponse<byte[]> second = pay("/payments", "t1");
		assertOriginal(second, 201);
		assertThat(second.body()).isNotEqualTo(first.body());
		assertReplay(pay("/payments", "t1"), second);
		assertThat(application.effects("t1")).isEqualTo(2);
		assertThat(application.records()).isEqualTo(1);
	}

	@Test
	@Tag("T1")
	void aKeyWhoseRecordHasExpiredIsFreeForAnotherRequest() {
		assertOriginal(pay("/payments", "t1-free"), 201);
		assertProblem(application.post(ALICE, "/payments", "t1-free", Labelled.json("t1-other")), 422, "key-reused");
		endLife("0 s");
		HttpResponse<byte[]> other = application.post(ALICE, "/payments", "t1-free", Labelled.json("t1-other"));
		assertOriginal(other, 201);
		assertProblem(pay("/payments", "t1-free"), 422, "key-reused");
		assertThat(application.effects("t1-other")).isEqualTo(1);
	}

	@Test
	@Tag("T2")
	void theTimeToLiveOfAnEndpointWinsOverTheGlobalOne() {
		assertOriginal(pay("/payments", "t2-global"), 201);
		assertThat(timeToLive()).isEqualTo(Duration.ofHours(2));
		application.jdbc().update("delete from idempotency_record");
		assertOriginal(pay("/short-payments", "t2-own"), 201);
		assertThat(timeToLive()).isEqualTo(Duration.ofMinutes(5));
	}

	@Test
	@Tag("T2")
	void aClientErrorIsKeptForItsRetentionUnlessItsEndpointKeepsLess() {
		assertOriginal(pay("/unknown-payments", "t2-error"), 404);
		assertThat(timeToLive()).isEqualTo(Duration.ofMinutes(10));
		application.jdbc().update("delete from idempotency_record");
		assertOriginal(pay("/short-unknown-payments", "t2-short-error"), 404);
		assertThat(timeToLive()).isEqualTo(Duration.ofMinutes(5));
	}

	@Test
	@Tag("T2")
	void aReplayDoesNotExtendTheTimeToLive() {
		HttpResponse<byte[]> first = pay("/payments", "t2-replay");
		Map<String, Object> before = application.jdbc()
			.queryForMap("select finished_at, expires_at from idempotency_record");
		assertReplay(pay("/payments", "t2-replay"), first);
		assertThat(application.jdbc().queryForMap("select finished_at, expires_at from idempotency_record"))
			.isEqualTo(before);
	}

	private static Duration timeToLive() {
		Long millis = application.jdbc()
			.queryForObject("select round(extract(epoch from expires_at - finished_at) * 1000) from idempotency_record",
					Long.class);
		return Duration.ofMillis((millis != null) ? millis : -1);
	}

	@Test
	@Tag("T3")
	void nodesThatReapAtOnceDeleteInBatchesEachExpiredRecordOnceAndNoLiveOne() {
		insert(3000, "- interval '1 second'");
		insert(500, "+ interval '1 hour'");
		IdempotencyStore store = application.context().getBean(IdempotencyStore.class);
		List<List<Integer>> batches = Parallel.run(NODES, () -> reap(store));
		assertThat(batches)
			.allSatisfy((node) -> assertThat(node).allSatisfy((size) -> assertThat(size).isLessThan(101)));
		// At the end two nodes may skip the same rows, each for the other's sake. Those
		// are the next run's.
		List<Integer> next = reap(store);
		assertThat(Stream.concat(batches.stream(), Stream.of(next))
			.flatMap(List::stream)
			.mapToInt(Integer::intValue)
			.sum()).isEqualTo(3000);
		assertThat(application.records()).isEqualTo(500);
		assertThat(store.deleteExpired(100)).isZero();
	}

	private static List<Integer> reap(IdempotencyStore store) {
		List<Integer> batches = new ArrayList<>();
		int deleted = store.deleteExpired(100);
		while (deleted > 0) {
			batches.add(deleted);
			deleted = store.deleteExpired(100);
		}
		return batches;
	}

	@Test
	@Tag("T3")
	void theReaperAndADuplicateAtOnceDoNotMakeTwoEffectsOfALiveRecord() {
		HttpResponse<byte[]> first = pay("/payments", "t3-live");
		insert(1000, "- interval '1 second'");
		IdempotencyStore store = application.context().getBean(IdempotencyStore.class);
		var reaper = Parallel.start(() -> reap(store));
		for (int i = 0; i < 20; i++) {
			assertReplay(pay("/payments", "t3-live"), first);
		}
		reaper.join();
		assertThat(application.records()).isEqualTo(1);
	}

	private static void insert(int count, String expiry) {
		List<Object[]> rows = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			byte[] id = new byte[32];
			RANDOM.nextBytes(id);
			rows.add(new Object[] { id, new byte[0], new byte[0] });
		}
		application.jdbc()
			.batchUpdate("""
					insert into idempotency_record
						(id, account, operation, fingerprint, status, content, finished_at, expires_at)
					values (?, ?, 'inserted', ?, 200, null, clock_timestamp(), clock_timestamp() %s)"""
				.formatted(expiry), rows);
	}

}
