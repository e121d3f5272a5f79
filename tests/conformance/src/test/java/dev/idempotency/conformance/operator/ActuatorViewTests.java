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
package dev.idempotency.conformance.operator;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import dev.idempotency.conformance.app.Actuator;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.PhaseHook;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The operators' view of requests in each of their states, and its exposure.
 */
@Tag("Y7")
class ActuatorViewTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=health,idempotency,"
			+ "idempotencylookup,idempotencyjobs";

	private static Provider provider;

	private static RunningApplication application;

	private static Actuator actuator;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = start(MigratedDatabase.create(), EXPOSED, "idempotency.reaper.interval=1h");
		actuator = new Actuator(application);
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	private static RunningApplication start(TestDatabase database, String... properties) {
		return RunningApplication.start(database, List.of(Rides.class, Gates.class), List
			.of(List.of(properties), List.of("provider=" + provider.address(), "idempotency.completer.enabled=false"))
			.stream()
			.flatMap(List::stream)
			.toArray(String[]::new));
	}

	private static void interruptRide(String key) {
		provider.failWith((unused) -> Fault.UNAVAILABLE);
		assertThat(application.post(ALICE, "/rides", key, Labelled.json(key)).statusCode()).isEqualTo(503);
	}

	@Test
	void nothingIsExposedByDefault() {
		try (RunningApplication closed = start(application.database())) {
			Actuator hidden = new Actuator(closed);
			assertThat(List.of(hidden.send("idempotency"), hidden.send("idempotency/open"),
					hidden.send("idempotencyjobs"), hidden.send("idempotencylookup", Map.of("key", "k"))))
				.allSatisfy((response) -> assertThat(response.statusCode()).isEqualTo(404));
		}
	}

	@Test
	void itIsOpenToNobodyWhomTheApplicationDoesNotLetIn() {
		assertThat(application.send(application.anonymous("/actuator/idempotency")).statusCode()).isEqualTo(401);
	}

	@Test
	void whatIsExposedOnlyShowsUnlessMoreIsAskedFor() {
		interruptRide("untouchable");
		String id = Actuator.text(actuator.lookUp("untouchable"), "id");
		assertThat(List.of(actuator.send("idempotency/" + id + "/retry", Map.of()),
				actuator.send("idempotency/" + id + "/abandon", Map.of("status", 410)),
				actuator.send("idempotency/purge", Map.of("account", ALICE, "unfinished", "delete")),
				actuator.send("idempotencyjobs/" + id + "/discard", Map.of())))
			.allSatisfy((response) -> assertThat(response.statusCode()).isIn(404, 405));
		assertThat(Actuator.text(actuator.lookUp("untouchable"), "state")).isEqualTo("waiting");
	}

	@Test
	void anEndpointWithoutAccessIsNotThere() {
		try (RunningApplication none = start(application.database(), EXPOSED,
				"management.endpoint.idempotency.access=none", "management.endpoint.idempotencylookup.access=none")) {
			Actuator refused = new Actuator(none);
			assertThat(refused.send("idempotency").statusCode()).isEqualTo(404);
			assertThat(refused.send("idempotencylookup", Map.of("key", "k")).statusCode()).isEqualTo(404);
			assertThat(refused.send("idempotencyjobs").statusCode()).isEqualTo(200);
		}
	}

	@Test
	@Tag("O1")
	void aRequestIsFoundInEachOfItsStates() {
		assertThat(Actuator.text(actuator.lookUp("never-sent"), "state")).isEqualTo("unknown");
		interruptRide("states");
		JsonNode waiting = actuator.lookUp("states");
		assertThat(Actuator.text(waiting, "state")).isEqualTo("waiting");
		assertThat(Actuator.text(waiting, "operation")).isEqualTo("POST /rides");
		assertThat(Actuator.text(waiting, "recoveryPoint")).isEqualTo("ride_created");
		assertThat(Actuator.text(waiting, "lastError")).contains("ServiceUnavailable");
		assertThat(waiting.path("attempts").asInt()).isEqualTo(1);
		provider.failWith((key) -> Fault.NONE);
		Gates gates = application.context().getBean(Gates.class);
		PhaseHook.once("after-charge", "states", () -> gates.pass("states"));
		CompletableFuture<HttpResponse<byte[]>> retry = Parallel
			.start(() -> application.post(ALICE, "/rides", "states", Labelled.json("states")));
		gates.awaitReached("states");
		assertThat(Actuator.text(actuator.lookUp("states"), "state")).isEqualTo("running");
		gates.open("states");
		assertOriginal(retry.join(), 201);
		assertThat(Actuator.text(actuator.lookUp("states"), "state")).isEqualTo("finished");
		application.jdbc().update("update idempotency_record set expires_at = clock_timestamp()");
		assertThat(Actuator.text(actuator.lookUp("states"), "state")).isEqualTo("unknown");
	}

	@Test
	@Tag("O1")
	void aRequestNamesTheNodeThatClaimedItLast() {
		interruptRide("node");
		String node = Actuator.text(actuator.lookUp("node"), "node");
		assertThat(node).endsWith(":" + ProcessHandle.current().pid());
		application.jdbc().update("update idempotency_lease set node = 'gone:1' where namespace <> ''");
		assertThat(Actuator.text(actuator.lookUp("node"), "node")).isEqualTo("gone:1");
		interruptRide("node");
		assertThat(Actuator.text(actuator.lookUp("node"), "node")).isEqualTo(node);
		assertThat(Actuator.text(actuator.get("idempotency/open?limit=1").path("requests").get(0), "node"))
			.isNotEmpty();
	}

	@Test
	@Tag("O1")
	void theSummaryCountsWhatIsThere() {
		JsonNode before = actuator.get("idempotency");
		interruptRide("counted");
		JsonNode summary = actuator.get("idempotency");
		assertThat(summary.path("waiting").asInt() - before.path("waiting").asInt()).isEqualTo(1);
		assertThat(summary.path("stuck").asInt()).isZero();
		assertThat(Actuator.text(summary.path("oldestOpen"), "operation")).isEqualTo("POST /rides");
		assertThat(summary.path("oldestOpen").path("ageSeconds").isIntegralNumber()).isTrue();
		assertThat(summary.path("reaper").path("alive").asBoolean(false)).isTrue();
		assertThat(summary.path("deadJobs").asInt(-1)).isZero();
		assertThat(summary.has("completer")).isFalse();
	}

	@Test
	void theNumberOfRecordsIsAnEstimateOfTheDatabase() {
		provider.failWith((key) -> Fault.NONE);
		assertOriginal(application.post(ALICE, "/rides", "estimated", Labelled.json("estimated")), 201);
		application.jdbc().execute("analyze idempotency_record");
		assertThat(actuator.get("idempotency").path("records").asLong()).isEqualTo(application.records());
	}

	@Test
	void aListIsAsLongAsItIsAskedToBe() {
		interruptRide("first-listed");
		interruptRide("second-listed");
		JsonNode all = actuator.get("idempotency/open").path("requests");
		assertThat(all.size()).isGreaterThanOrEqualTo(2);
		JsonNode page = actuator.get("idempotency/open?limit=1");
		assertThat(page.path("requests").size()).isEqualTo(1);
		assertThat(page.path("requests").get(0)).isEqualTo(all.get(0));
		JsonNode next = actuator.get("idempotency/open?limit=1&after=" + page.path("next").asString());
		assertThat(next.path("requests").get(0)).isEqualTo(all.get(1));
		assertThat(actuator.get("idempotency/stuck").path("requests").size()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "idempotency/open?limit=0", "idempotency/stuck?limit=1001", "idempotency/open?limit=x",
			"idempotency/open?after=x", "idempotency/open?after=today_00", "idempotencyjobs?limit=0" })
	void aListHasBounds(String path) {
		assertThat(actuator.send(path).statusCode()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "nothing", "00", "zz" })
	void whatIsNoIdIsNotFound(String id) {
		assertThat(actuator.send("idempotency/" + id).statusCode()).isEqualTo(404);
	}

}
