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
package dev.idempotency.conformance.database;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * All statements on a table that the script of docs/operations/capacity.md has divided
 * into hash partitions.
 */
@Tag("postgresql")
class PartitionedTableTests {

	private static final int KEYS = 16;

	private static final int PARTITIONS = 16;

	private static RunningApplication application;

	private static LeaseStore store;

	@BeforeAll
	static void start() throws IOException {
		TestDatabase database = MigratedDatabase.create();
		partition(database);
		application = RunningApplication.start(database, List.of(Payments.class), "idempotency.reaper.enabled=false");
		store = application.context().getBean(LeaseStore.class);
	}

	private static void partition(TestDatabase database) throws IOException {
		String guide = Files.readString(Path.of("../../docs/operations/capacity.md"));
		String script = guide.substring(guide.indexOf("## Partitions"));
		database.execute(script.substring(script.indexOf("```sql") + 6, script.indexOf("```\n")));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void empty() {
		application.jdbc().update("truncate idempotency_record");
	}

	private static HttpResponse<byte[]> pay(String path, String key) {
		return application.post(ALICE, path, key, Labelled.json(path + key));
	}

	private static long usedPartitions() {
		Long count = application.jdbc()
			.queryForObject("select count(distinct tableoid) from idempotency_record", Long.class);
		return (count != null) ? count : -1;
	}

	@Test
	void theScriptKeepsLiveAnswersAndTheNextStartLeavesThePartitions() throws IOException {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication plain = RunningApplication.start(database, List.of(Payments.class))) {
			HttpResponse<byte[]> first = plain.post(ALICE, "/transactional", "kept", Labelled.json("kept"));
			assertOriginal(first, 200);
			assertOriginal(plain.post(ALICE, "/transactional", "gone", Labelled.json("gone")), 200);
			plain.jdbc()
				.update("update idempotency_record set expires_at = now() "
						+ "where finished_at = (select max(finished_at) from idempotency_record)");
			partition(database);
			assertThat(plain.records()).isEqualTo(1);
			assertReplay(plain.post(ALICE, "/transactional", "kept", Labelled.json("kept")), first);
		}
		try (RunningApplication restarted = RunningApplication.start(database, List.of(Payments.class))) {
			assertThat(restarted.jdbc().queryForList("""
					select attstorage::text from pg_attribute join pg_inherits on attrelid = inhrelid
					where attname = 'content' and inhparent = 'idempotency_record'::regclass""", String.class))
				.hasSize(PARTITIONS)
				.containsOnly("e");
			assertThat(restarted.records()).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional", "/leased" })
	@Tag("T1")
	void aKeyIsUniqueOverAllPartitionsUntilItsRecordExpires(String path) {
		for (int i = 0; i < KEYS; i++) {
			String key = "t1-" + i;
			HttpResponse<byte[]> first = pay(path, key);
			assertOriginal(first, 200);
			assertReplay(pay(path, key), first);
			assertProblem(application.post(ALICE, path, key, Labelled.json("other")), 422, "key-reused");
		}
		assertThat(usedPartitions()).isGreaterThan(PARTITIONS / 4);
		application.jdbc().update("update idempotency_record set expires_at = clock_timestamp()");
		for (int i = 0; i < KEYS; i++) {
			assertOriginal(pay(path, "t1-" + i), 200);
			assertThat(application.effects(path + "t1-" + i)).isEqualTo(2);
		}
		assertThat(application.records()).isEqualTo(KEYS);
	}

	@Test
	@Tag("C1")
	void deliveriesAtOnceHaveOneEffect() {
		List<HttpResponse<byte[]>> responses = Parallel.run(8, () -> pay("/transactional", "c1"));
		assertThat(responses).filteredOn((response) -> response.statusCode() == 200 && !Exchanges.isReplay(response))
			.hasSize(1);
		assertThat(application.effects("/transactionalc1")).isEqualTo(1);
	}

	@Test
	@Tag("X10")
	void aFormerOwnerWritesNothing() {
		Identity identity = new Identity(new byte[32], new byte[0]);
		Lease former = ((ClaimResult.Leased) store.lease(request(identity, Duration.ZERO))).lease();
		Lease owner = ((ClaimResult.Leased) store.lease(request(identity, Duration.ofMinutes(1)))).lease();
		assertThat(store.finish(former, record(identity))).isFalse();
		assertThat(store.finish(owner, record(identity))).isTrue();
		assertThat(store.lease(request(identity, Duration.ofMinutes(1)))).isInstanceOf(StoredRecord.class);
	}

	private static LeaseRequest request(Identity identity, Duration duration) {
		return new LeaseRequest(identity, "test", new byte[] { 1 }, new byte[0], duration, true, 10, LeaseLimits.NONE);
	}

	private static FinishedRecord record(Identity identity) {
		return new FinishedRecord(identity, "test", new byte[] { 1 }, new EncodedResponse(200, new byte[] { 2 }),
				Duration.ofHours(1));
	}

	/**
	 * Rows of different partitions have the same place in their table.
	 */
	@Test
	@Tag("T3")
	void aBatchIsNotLargerThanItsLimit() {
		insert(100, "- interval '1 second'");
		assertThat(usedPartitions()).isGreaterThan(PARTITIONS / 4);
		for (int left = 99; left >= 0; left--) {
			assertThat(store.deleteExpired(1)).isEqualTo(1);
			assertThat(application.records()).isEqualTo(left);
		}
		assertThat(store.deleteExpired(1)).isZero();
	}

	@Test
	@Tag("T3")
	void whatSomebodyElseHasLockedIsLeftAloneInEveryPartition() throws Exception {
		insert(400, "- interval '1 second'");
		try (Connection other = application.database().connect(); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("select from idempotency_record where get_byte(id, 5) < 128 for update");
			Long locked = application.jdbc()
				.queryForObject("select count(*) from idempotency_record where get_byte(id, 5) < 128", Long.class);
			assertThat(store.deleteExpired(1000)).isEqualTo(400 - locked.intValue());
			assertThat(application.records()).isEqualTo(locked);
			other.rollback();
		}
		int left = Math.toIntExact(application.records());
		assertThat(store.deleteExpired(1000)).isEqualTo(left);
	}

	@Test
	@Tag("T3")
	void nodesThatReapAtOnceDeleteEachExpiredRecordOnceAndNoLiveOne() {
		insert(3000, "- interval '1 second'");
		insert(500, "+ interval '1 hour'");
		List<Integer> deleted = Parallel.run(3, () -> {
			int sum = 0;
			int batch = store.deleteExpired(100);
			while (batch > 0) {
				assertThat(batch).isLessThanOrEqualTo(100);
				sum += batch;
				batch = store.deleteExpired(100);
			}
			return sum;
		});
		assertThat(deleted.stream().mapToInt(Integer::intValue).sum()).isEqualTo(3000);
		assertThat(application.records()).isEqualTo(500);
	}

	private static void insert(int count, String expiry) {
		application.jdbc().update("""
				insert into idempotency_record
					(id, account, operation, fingerprint, status, content, finished_at, expires_at)
				select sha256(convert_to(gen_random_uuid()::text, 'UTF8')), '', 'inserted', '', 200, null,
					clock_timestamp(), clock_timestamp() %s
				from generate_series(1, ?)""".formatted(expiry), count);
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/transactional")
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, Object> payLeased(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

	}

}
