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
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three JVMs on one database: two nodes and this one.
 */
@Tag("processes")
class ClusterTests {

	private static final String[] SHORT_LEASE = { "idempotency.lease.duration=3s" };

	private static final Client CLIENT = new Client();

	private static RunningApplication here;

	private static Node second;

	private static Node third;

	@BeforeAll
	static void start() {
		TestDatabase database = MigratedDatabase.create();
		here = NodeApplication.start(database, SHORT_LEASE);
		CompletableFuture<Node> starting = CompletableFuture.supplyAsync(() -> Node.start(database, SHORT_LEASE));
		third = Node.start(database, SHORT_LEASE);
		second = starting.join();
	}

	@AfterAll
	static void stop() {
		second.close();
		third.close();
		here.close();
	}

	private static URI address() {
		return URI.create("http://127.0.0.1:" + here.port());
	}

	@ParameterizedTest
	@ValueSource(strings = { NodeApplication.TRANSACTIONAL, NodeApplication.LEASED,
			NodeApplication.LEASED_TRANSACTIONAL, NodeApplication.CALLABLE })
	@Tag("C2")
	void fiftyParallelDeliveriesHaveOneEffect(String path) {
		String key = "c2" + path;
		List<URI> nodes = List.of(address(), second.address(), third.address());
		List<HttpResponse<byte[]>> responses = IntStream.range(0, 50)
			.mapToObj((i) -> CLIENT.send(nodes.get(i % nodes.size()), path, key))
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.toList();
		assertThat(responses).allSatisfy((response) -> assertThat(response.statusCode()).isIn(201, 409));
		assertThat(responses).filteredOn((response) -> response.statusCode() == 201 && !isReplay(response)).hasSize(1);
		assertThat(responses.stream().filter((response) -> response.statusCode() == 201).map(HttpResponse::body))
			.allSatisfy((body) -> assertThat(body).isEqualTo(CLIENT.send(address(), path, key).join().body()));
		assertThat(here.effects(key)).isEqualTo(1);
	}

	@Test
	@Tag("X10")
	void anOwnerThatWasPausedPastItsLeaseChangesNothingWhenItGoesOn() {
		Map<String, StopPoint> points = new LinkedHashMap<>();
		points.put(NodeApplication.LEASED, StopPoint.IN_HANDLER);
		points.put(NodeApplication.LEASED_TRANSACTIONAL, StopPoint.AFTER_EFFECT);
		points.put(NodeApplication.CALLABLE, StopPoint.IN_HANDLER);
		Map<String, CompletableFuture<HttpResponse<byte[]>>> owners = new LinkedHashMap<>();
		points.forEach(
				(path, point) -> owners.put(path, CLIENT.sendStopping(second.address(), path, "x10" + path, point)));
		second.awaitReached(points.size());
		second.pause();
		await().atMost(Duration.ofMinutes(1)).until(() -> leases("lease_until <= clock_timestamp()") == points.size());
		Map<String, HttpResponse<byte[]>> heirs = new LinkedHashMap<>();
		points.keySet().forEach((path) -> heirs.put(path, CLIENT.send(address(), path, "x10" + path).join()));
		List<Map<String, Object>> records = records();
		second.proceed();
		CLIENT.send(second.address(), "/resume", "none").join();
		points.keySet().forEach((path) -> {
			assertOriginal(heirs.get(path), 201);
			HttpResponse<byte[]> late = owners.get(path).join();
			if (late.statusCode() == 201) {
				assertReplay(late, heirs.get(path));
			}
			else {
				assertThat(late.statusCode()).isEqualTo(409);
			}
			assertThat(here.effects("x10" + path)).isEqualTo(1);
		});
		assertThat(records()).isEqualTo(records);
		assertThat(leases("true")).isZero();
	}

	private static long leases(String condition) {
		Long count = here.jdbc()
			.queryForObject("select count(*) from idempotency_lease where namespace <> '' and " + condition,
					Long.class);
		return (count != null) ? count : -1;
	}

	private static List<Map<String, Object>> records() {
		return here.jdbc()
			.queryForList("select operation, status, finished_at, expires_at from idempotency_record order by id");
	}

}
