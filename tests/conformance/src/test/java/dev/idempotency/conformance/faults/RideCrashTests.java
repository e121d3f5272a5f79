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
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.Transactions;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code kill -9} at each point of a ride: between any two steps, within each, and around
 * each of the commits. The retry goes to another node.
 */
@Tag("processes")
@Tag("P1")
class RideCrashTests {

	private static final List<String> BEFORE_THE_END = List.of("before-ride", "in-ride", "advanced-ride_created",
			"after-ride", "before-charge", "in-charge", "advanced-charge_created", "after-charge", "in-finish",
			"BEFORE_FINISH", "AFTER_FINISH");

	private static final List<String> AT_THE_END = List.of("AFTER_COMMIT", "BEFORE_FIRST_BYTE");

	private static final String[] LONG_LEASE = { "idempotency.lease.duration=1h", "idempotency.lease.max=1h",
			"idempotency.completer.enabled=false", "spring.datasource.hikari.maximum-pool-size=30" };

	private static final Client CLIENT = new Client();

	private static final Map<String, HttpResponse<byte[]>> whileLeased = new HashMap<>();

	private static Provider provider;

	private static RunningApplication survivor;

	@BeforeAll
	static void killANodeWithARideAtEachPoint() {
		provider = new Provider();
		TestDatabase database = MigratedDatabase.create();
		survivor = NodeApplication.start(database, properties());
		List<String> places = new ArrayList<>(BEFORE_THE_END);
		places.addAll(AT_THE_END);
		List<String> properties = new ArrayList<>(List.of(properties()));
		properties.add("spring.datasource.hikari.data-source-properties.ApplicationName=victim");
		try (Node victim = Node.start(database, properties.toArray(new String[0]))) {
			List<CompletableFuture<HttpResponse<byte[]>>> rides = places.stream()
				.map((place) -> CLIENT.sendStopping(victim.address(), "/rides", place, place))
				.toList();
			assertThat(victim.awaitReached(places.size())).hasSameSizeAs(places);
			victim.kill();
			assertThat(rides).allSatisfy((ride) -> assertThat(ride.handle((response, failure) -> failure).join())
				.as("what the client of a killed node gets")
				.isNotNull());
		}
		Transactions.awaitGone(survivor, "victim");
		places.forEach((place) -> whileLeased.put(place, retry(place)));
		survivor.jdbc().update("update idempotency_lease set lease_until = clock_timestamp() where namespace <> ''");
	}

	private static String[] properties() {
		List<String> properties = new ArrayList<>(List.of(LONG_LEASE));
		properties.add("provider=" + provider.address());
		return properties.toArray(new String[0]);
	}

	@AfterAll
	static void stop() {
		survivor.close();
		provider.close();
	}

	@ParameterizedTest
	@FieldSource("BEFORE_THE_END")
	void theRetryResumesWhenTheLeaseHasEnded(String place) {
		assertProblem(whileLeased.get(place), 409, "in-progress");
		int calls = provider.keys().size();
		int charges = provider.charges().size();
		HttpResponse<byte[]> resumed = retry(place);
		assertOriginal(resumed, 201);
		assertThat(provider.keys().size() - calls).as("calls of the provider by the retry")
			.isEqualTo(wasReached("advanced-charge_created", place) ? 0 : 1);
		assertThat(provider.charges().size() - charges).as("charges that the retry has made")
			.isEqualTo(wasReached("in-charge", place) ? 0 : 1);
		assertThat(provider.charges()).anyMatch(new String(resumed.body())::contains);
		assertOneOfEach(place);
	}

	/**
	 * Returns whether a place had been reached by the process that was killed at another
	 * one.
	 */
	private static boolean wasReached(String place, String killedAt) {
		return BEFORE_THE_END.indexOf(killedAt) >= BEFORE_THE_END.indexOf(place);
	}

	@ParameterizedTest
	@FieldSource("AT_THE_END")
	void theRetryOfAFinishedRideIsAReplay(String place) {
		assertThat(isReplay(whileLeased.get(place))).isTrue();
		assertOneOfEach(place);
	}

	private static void assertOneOfEach(String place) {
		assertThat(survivor.effects(place)).isEqualTo(1);
		assertThat(survivor.effects(place + " done")).isEqualTo(1);
	}

	private static HttpResponse<byte[]> retry(String place) {
		return CLIENT.send(URI.create("http://127.0.0.1:" + survivor.port()), "/rides", place).join();
	}

}
