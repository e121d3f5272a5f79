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

package dev.idempotency.conformance.faults;

import java.net.http.HttpResponse;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two nodes whose clocks are ten minutes apart. The clock of a process is set by
 * libfaketime, which is no part of a fresh machine: these tests run where it is
 * installed, by {@code -Dgroups=skewed-clock -DexcludedGroups=}, with the path of its
 * variant for programs with several threads, {@code libfaketimeMT.so.1}, in the
 * environment variable {@code LIBFAKETIME}. The other variant reads its setting again
 * every ten seconds without a lock, while other threads use it.
 */
@Tag("skewed-clock")
@Tag("X16")
class SkewedClockTests {

	private static final Client CLIENT = new Client();

	private static TestDatabase database;

	private static Node behind;

	private static Node ahead;

	@BeforeAll
	static void start() {
		database = MigratedDatabase.create();
		behind = Node.start(database);
		ahead = Node.start(database, Map.of("LD_PRELOAD", System.getenv("LIBFAKETIME"), "FAKETIME", "+10m",
				"FAKETIME_DONT_FAKE_MONOTONIC", "1", "FAKETIME_CACHE_DURATION", "86400"));
	}

	@AfterAll
	static void stop() {
		ahead.close();
		behind.close();
	}

	@Test
	void theOtherNodesClockIsTenMinutesAhead() {
		long theirs = answer(ahead, NodeApplication.LEASED, "x16-clock").headers()
			.firstValue("Date")
			.map((date) -> ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond())
			.orElseThrow();
		assertThat(theirs - System.currentTimeMillis() / 1000).isBetween(500L, 700L);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { NodeApplication.TRANSACTIONAL, NodeApplication.LEASED, NodeApplication.LEASED_TRANSACTIONAL })
	void anAnswerOfOneNodeIsReplayedByTheOther(String path) {
		String behindFirst = "x16-behind" + path;
		HttpResponse<byte[]> first = answer(behind, path, behindFirst);
		assertOriginal(first, 201);
		assertReplay(answer(ahead, path, behindFirst), first);
		String aheadFirst = "x16-ahead" + path;
		HttpResponse<byte[]> second = answer(ahead, path, aheadFirst);
		assertOriginal(second, 201);
		assertReplay(answer(behind, path, aheadFirst), second);
	}

	@Test
	void aLeaseOfTheNodeBehindIsNotTakenOverByTheNodeAhead() {
		String key = "x16-lease";
		CompletableFuture<HttpResponse<byte[]>> owner = CLIENT.sendStopping(behind.address(), NodeApplication.LEASED,
				key, StopPoint.IN_HANDLER);
		behind.awaitReached(1);
		assertThat(answer(ahead, NodeApplication.LEASED, key).statusCode()).isEqualTo(409);
		answer(behind, "/resume", "none");
		assertOriginal(owner.join(), 201);
		assertThat(new JdbcTemplate(
				new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()))
			.queryForObject("select count(*) from effect where label = ?", Long.class, key)).isEqualTo(1);
	}

	private static HttpResponse<byte[]> answer(Node node, String path, String key) {
		try {
			return CLIENT.send(node.address(), path, key).join();
		}
		catch (CompletionException ex) {
			throw new AssertionError("No answer to " + path + " from the node with these threads:\n" + node.threads(),
					ex);
		}
	}

}
