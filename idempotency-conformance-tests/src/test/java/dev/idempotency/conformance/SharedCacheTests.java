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
package dev.idempotency.conformance;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.cache.CacheManager;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.Idempotent;
import dev.idempotency.cache.LocalAnswers;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.FaultyCache;
import dev.idempotency.conformance.app.FaultyCache.Mode;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MovableTime;
import dev.idempotency.conformance.app.ReplaySources;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.store.Identity;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Replays from a cache that two nodes share. The second has a local one in front of it.
 */
class SharedCacheTests {

	private static final FaultyCache CACHE = new FaultyCache("idempotency");

	private static RunningApplication first;

	private static RunningApplication second;

	@BeforeAll
	static void start() {
		TestDatabase database = TestDatabase.create();
		first = start(database, List.of(Payments.class, ReplaySources.class));
		second = start(database, List.of(Payments.class, ReplaySources.class, OwnTime.class),
				"idempotency.cache.local.enabled=true");
	}

	private static RunningApplication start(TestDatabase database, List<Class<?>> sources, String... properties) {
		String[] all = java.util.stream.Stream
			.concat(java.util.stream.Stream.of("idempotency.cache.shared.enabled=true",
					"idempotency.cache.shared.timeout=5s", "idempotency.reaper.enabled=false"),
					java.util.stream.Stream.of(properties))
			.toArray(String[]::new);
		return RunningApplication.start(database, sources, all);
	}

	@AfterAll
	static void stop() {
		CACHE.end();
		first.close();
		second.close();
	}

	@BeforeEach
	void empty() {
		CACHE.set(Mode.WORKS);
		first.jdbc().update("delete from idempotency_record");
		// Also ends the rest after a failure.
		first.context().getBean(AnswerCache.class).clear();
		second.context().getBean(AnswerCache.class).clear();
		sources(first).take();
		sources(second).take();
	}

	private static ReplaySources sources(RunningApplication node) {
		return node.context().getBean(ReplaySources.class);
	}

	private static HttpResponse<byte[]> pay(RunningApplication node, String key) {
		return pay(node, "/payments", key);
	}

	private static HttpResponse<byte[]> pay(RunningApplication node, String path, String key) {
		return node.post(ALICE, path, key, Labelled.json(key));
	}

	/**
	 * Of the only record in the table.
	 */
	private static Identity identity() {
		return first.jdbc()
			.queryForObject("select id, account from idempotency_record",
					(row, index) -> new Identity(row.getBytes(1), row.getBytes(2)));
	}

	private static String cacheKey() {
		return HexFormat.of().formatHex(identity().digest());
	}

	/**
	 * Pays on the first node, and waits until all nodes know.
	 */
	private static HttpResponse<byte[]> payAndShare(String key) {
		HttpResponse<byte[]> paid = pay(first, key);
		assertOriginal(paid, 201);
		await().until(() -> CACHE.getNativeCache().containsKey(cacheKey()));
		return paid;
	}

	@Test
	@Tag("S7")
	void whatOneNodeHasFinishedAnotherReplaysFromTheSharedCacheAndThenFromItsOwn() {
		HttpResponse<byte[]> paid = payAndShare("s7");
		assertReplay(pay(second, "s7"), paid);
		assertReplay(pay(second, "s7"), paid);
		assertReplay(pay(first, "s7"), paid);
		assertThat(sources(second).take()).containsExactly(ReplaySource.SHARED, ReplaySource.LOCAL);
		assertThat(sources(first).take()).containsExactly(ReplaySource.SHARED);
		assertThat(first.effects("s7")).isEqualTo(1);
	}

	@Test
	@Tag("F1")
	void anotherRequestIsRefusedByWhatTheSharedCacheKnows() {
		payAndShare("f1");
		first.jdbc().update("delete from idempotency_record");
		assertProblem(second.post(ALICE, "/payments", "f1", Labelled.json("f1-other")), 422, "key-reused");
		assertThat(first.effects("f1-other")).isZero();
	}

	@Test
	@Tag("Y5")
	void theSharedCacheHoldsBytesUnderADigest() {
		payAndShare("y5-secret-key");
		assertThat(CACHE.getNativeCache()).hasSize(1).allSatisfy((key, value) -> {
			assertThat(key).isInstanceOf(String.class).asString().matches("[0-9a-f]{64}");
			assertThat(value).isInstanceOf(byte[].class);
			assertThat(new String((byte[]) value)).doesNotContain("alice");
		});
	}

	/**
	 * Regardless of the duration of the requests, none is replayed after the end by the
	 * database's clock.
	 */
	@Test
	@Tag("T1")
	void afterTheEndOfItsLifeTheRequestRunsAgain() {
		HttpResponse<byte[]> paid = pay(first, "/short", "t1");
		await().pollInterval(Duration.ofMillis(10)).until(() -> {
			boolean over = Boolean.TRUE.equals(first.jdbc()
				.queryForObject("select clock_timestamp() >= expires_at from idempotency_record", Boolean.class));
			HttpResponse<byte[]> next = pay(second, "/short", "t1");
			if (Exchanges.isReplay(next)) {
				assertThat(over).isFalse();
				assertReplay(next, paid);
			}
			return !Exchanges.isReplay(next);
		});
		assertThat(first.effects("t1")).isEqualTo(2);
	}

	@Test
	void whatIsPurgedOnOneNodeIsGoneThereAndElsewhereAtTheEndOfTheLocalMaximumAge() {
		HttpResponse<byte[]> paid = payAndShare("purged");
		assertReplay(pay(second, "purged"), paid);
		Identity identity = identity();
		first.jdbc().update("delete from idempotency_record");
		first.context().getBean(AnswerCache.class).evict(identity);
		assertThat(CACHE.getNativeCache()).isEmpty();
		assertReplay(pay(second, "purged"), paid);
		HttpResponse<byte[]> again = pay(first, "purged");
		assertOriginal(again, 201);
		OwnTime.TIME.pass(OwnTime.MAX_AGE);
		assertReplay(pay(second, "purged"), again);
	}

	@ParameterizedTest
	@EnumSource(value = Mode.class, names = { "FAILS", "HANGS" })
	void aCacheThatFailsOrHangsChangesNothingButTheSource(Mode mode) {
		try (RunningApplication node = start(first.database(), List.of(Payments.class, ReplaySources.class),
				"idempotency.cache.shared.timeout=20ms")) {
			CACHE.set(mode);
			HttpResponse<byte[]> paid = pay(node, "fault-" + mode);
			assertOriginal(paid, 201);
			assertReplay(pay(node, "fault-" + mode), paid);
			assertProblem(node.post(ALICE, "/payments", "fault-" + mode, Labelled.json("other")), 422, "key-reused");
			assertThat(sources(node).take()).containsExactly(ReplaySource.DATABASE);
			assertThat(sources(node).failures()).isPositive();
			assertThat(node.effects("fault-" + mode)).isEqualTo(1);
		}
	}

	@Test
	void aCacheThatWorksAgainIsUsedAgain() {
		CACHE.set(Mode.FAILS);
		HttpResponse<byte[]> paid = pay(first, "again");
		CACHE.set(Mode.WORKS);
		await().until(() -> {
			assertReplay(pay(first, "again"), paid);
			return sources(first).take().equals(List.of(ReplaySource.SHARED));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "type", "version", "cut", "content", "nothing" })
	void whatIsNotAnEntryOrCannotBeReadIsNoAnswer(String kind) {
		HttpResponse<byte[]> paid = payAndShare("garbage-" + kind);
		byte[] entry = (byte[]) CACHE.getNativeCache().get(cacheKey());
		CACHE.put(cacheKey(), switch (kind) {
			case "type" -> "text";
			case "version" -> changed(entry, 0);
			case "cut" -> java.util.Arrays.copyOf(entry, entry.length - 1);
			// What the codec puts in front: it says how the rest is encoded.
			case "content" -> changed(entry, 1 + 8 + 2 + 33 + 2 + 4);
			default -> null;
		});
		assertReplay(pay(first, "garbage-" + kind), paid);
		assertThat(sources(first).take()).containsExactly(ReplaySource.DATABASE);
	}

	private static byte[] changed(byte[] entry, int index) {
		byte[] changed = entry.clone();
		changed[index] = 77;
		return changed;
	}

	@Test
	@Tag("Y2")
	void aCallerWhoseRoleWasRevokedGetsNothingFromTheSharedCache() {
		HttpResponse<byte[]> paid = payAndShare("y2");
		InMemoryUserDetailsManager users = second.context().getBean(InMemoryUserDetailsManager.class);
		users.updateUser(User.withUsername(ALICE).password("{noop}alice").roles("USER").build());
		assertThat(pay(second, "y2").statusCode()).isEqualTo(403);
		users.updateUser(User.withUsername(ALICE).password("{noop}alice").roles("USER", "PAYER").build());
		assertReplay(pay(second, "y2"), paid);
		assertThat(sources(second).take()).containsExactly(ReplaySource.SHARED);
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTime {

		static final Duration MAX_AGE = Duration.ofMinutes(5);

		static final MovableTime TIME = new MovableTime();

		@Bean
		LocalAnswers localAnswers() {
			return new LocalAnswers(1000, MAX_AGE, TIME);
		}

	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Bean
		static CacheManager cacheManager() {
			SimpleCacheManager manager = new SimpleCacheManager();
			manager.setCaches(List.of(CACHE));
			return manager;
		}

		@Idempotent
		@PostMapping("/payments")
		@PreAuthorize("hasRole('PAYER')")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

		@Idempotent(ttl = "2s")
		@PostMapping("/short")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> payShort(@RequestBody Labelled payment) {
			return pay(payment);
		}

	}

}
