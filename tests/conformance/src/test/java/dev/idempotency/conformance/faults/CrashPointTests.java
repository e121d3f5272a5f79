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

import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.Transactions;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code kill -9} at each point of each mode. One node has a request at every point when
 * it is killed; the retries go to another, first while the leases hold and again when
 * they have expired.
 */
@Tag("processes")
@Tag("X7")
@Tag("X8")
@Tag("X9")
class CrashPointTests {

	/**
	 * Without the reaper, which would mark requests as stuck between two retries.
	 */
	private static final String[] LONG_LEASE = { "idempotency.lease.duration=1h", "idempotency.lease.max=1h",
			"spring.datasource.hikari.maximum-pool-size=30", "idempotency.reaper.enabled=false" };

	private static final Client CLIENT = new Client();

	private static final Map<Case, HttpResponse<byte[]>> whileLeased = new HashMap<>();

	private static RunningApplication survivor;

	@BeforeAll
	static void killANodeWithARequestAtEachPoint() {
		TestDatabase database = MigratedDatabase.create();
		survivor = NodeApplication.start(database, LONG_LEASE);
		List<String> properties = new ArrayList<>(List.of(LONG_LEASE));
		properties.add("spring.datasource.hikari.data-source-properties.ApplicationName=victim");
		try (Node victim = Node.start(database, properties.toArray(new String[0]))) {
			List<CompletableFuture<HttpResponse<byte[]>>> requests = cases().stream()
				.map((crash) -> CLIENT.sendStopping(victim.address(), crash.path(), crash.key(), crash.point()))
				.toList();
			assertThat(victim.awaitReached(cases().size())).hasSameSizeAs(cases());
			victim.kill();
			assertThat(requests)
				.allSatisfy((request) -> assertThat(request.handle((response, failure) -> failure).join())
					.as("what the client of a killed node gets")
					.isNotNull());
		}
		Transactions.awaitGone(survivor, "victim");
		cases().forEach((crash) -> whileLeased.put(crash, retry(crash)));
		survivor.jdbc().update("update idempotency_lease set lease_until = clock_timestamp() where namespace <> ''");
	}

	@AfterAll
	static void stop() {
		survivor.close();
	}

	private static HttpResponse<byte[]> retry(Case crash) {
		URI address = URI.create("http://127.0.0.1:" + survivor.port());
		return CLIENT.send(address, crash.path(), crash.key()).join();
	}

	static List<Case> cases() {
		List<Case> cases = new ArrayList<>();
		for (StopPoint point : StopPoint.values()) {
			cases.add(new Case(NodeApplication.TRANSACTIONAL, point, switch (point) {
				case AFTER_COMMIT, BEFORE_FIRST_BYTE -> Retry.IS_A_REPLAY;
				default -> Retry.RUNS_AT_ONCE;
			}));
			cases.add(new Case(NodeApplication.LEASED_TRANSACTIONAL, point, switch (point) {
				case BEFORE_CLAIM -> Retry.RUNS_AT_ONCE;
				case AFTER_COMMIT, BEFORE_FIRST_BYTE -> Retry.IS_A_REPLAY;
				default -> Retry.RUNS_AFTER_THE_LEASE;
			}));
			if (point != StopPoint.AFTER_COMMIT) {
				cases.add(new Case(NodeApplication.LEASED, point, switch (point) {
					case BEFORE_CLAIM -> Retry.RUNS_AT_ONCE;
					case AFTER_CLAIM, IN_HANDLER -> Retry.RUNS_AFTER_THE_LEASE;
					case AFTER_EFFECT, BEFORE_FINISH -> Retry.IS_REFUSED;
					default -> Retry.IS_A_REPLAY;
				}));
			}
		}
		return cases;
	}

	@ParameterizedTest
	@MethodSource("cases")
	void theRetryDoesWhatTheCrashHasLeftToDo(Case crash) {
		HttpResponse<byte[]> first = whileLeased.get(crash);
		HttpResponse<byte[]> second = retry(crash);
		switch (crash.retry()) {
			case RUNS_AT_ONCE -> {
				assertOriginal(first, 201);
				assertThat(isReplay(second)).isTrue();
			}
			case RUNS_AFTER_THE_LEASE -> {
				assertProblem(first, 409, "in-progress");
				assertOriginal(second, 201);
			}
			case IS_REFUSED -> {
				assertProblem(first, 409, "in-progress");
				assertProblem(second, 409, "in-progress");
			}
			case IS_A_REPLAY -> {
				assertThat(first.statusCode()).isEqualTo(201);
				assertThat(isReplay(first)).isTrue();
				assertThat(second.body()).isEqualTo(first.body());
			}
		}
		assertThat(survivor.effects(crash.key())).isEqualTo(1);
	}

	enum Retry {

		RUNS_AT_ONCE, RUNS_AFTER_THE_LEASE, IS_REFUSED, IS_A_REPLAY

	}

	record Case(String path, StopPoint point, Retry retry) {

		String key() {
			return "crash" + path() + "-" + point();
		}

	}

}
