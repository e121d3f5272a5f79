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
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.conformance.app.Actuator;
import dev.idempotency.conformance.app.Effects;
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
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The operators' view of requests: exposed data, and no more of a request than asked for.
 */
@ExtendWith(OutputCaptureExtension.class)
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
		LoggingSystem.get(Actuator.class.getClassLoader()).setLogLevel("dev.idempotency", LogLevel.TRACE);
	}

	@AfterAll
	static void stop() {
		LoggingSystem.get(Actuator.class.getClassLoader()).setLogLevel("dev.idempotency", LogLevel.INFO);
		application.close();
		provider.close();
	}

	private static RunningApplication start(TestDatabase database, String... properties) {
		return RunningApplication.start(database, List.of(Rides.class, Payments.class, Gates.class), List
			.of(List.of(properties), List.of("provider=" + provider.address(), "idempotency.completer.enabled=false"))
			.stream()
			.flatMap(List::stream)
			.toArray(String[]::new));
	}

	private static HttpResponse<byte[]> pay(String user, String key) {
		HttpResponse<byte[]> paid = application.post(user, "/payments", key, Labelled.json(key));
		assertOriginal(paid, 201);
		return paid;
	}

	private static void interruptRide(String key) {
		provider.failWith((unused) -> Fault.UNAVAILABLE);
		assertThat(application.post(ALICE, "/rides", key, Labelled.json(key)).statusCode()).isEqualTo(503);
	}

	private static JsonNode lookUp(String key) {
		return actuator.post("idempotencylookup", Map.of("account", ALICE, "key", key));
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
		String id = Actuator.text(lookUp("untouchable"), "id");
		assertThat(List.of(actuator.send("idempotency/" + id + "/retry", Map.of()),
				actuator.send("idempotency/" + id + "/abandon", Map.of("status", 410)),
				actuator.send("idempotency/purge", Map.of("account", ALICE, "unfinished", "delete")),
				actuator.send("idempotencyjobs/" + id + "/discard", Map.of())))
			.allSatisfy((response) -> assertThat(response.statusCode()).isIn(404, 405));
		assertThat(Actuator.text(lookUp("untouchable"), "state")).isEqualTo("waiting");
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
	void aKeyIsLookedUpAndAppearsNowhere(CapturedOutput output) {
		HttpResponse<byte[]> paid = pay(ALICE, "secret-key-81fe");
		HttpResponse<byte[]> response = actuator.send("idempotencylookup",
				Map.of("account", ALICE, "key", "secret-key-81fe"));
		JsonNode found = Actuator.json(response);
		assertThat(Actuator.text(found, "state")).isEqualTo("finished");
		assertThat(Actuator.text(found, "operation")).isEqualTo("POST /payments");
		assertThat(found.path("status").asInt()).isEqualTo(paid.statusCode());
		assertThat(Actuator.text(found, "id")).matches("[0-9a-f]{64}");
		assertThat(Actuator.text(found, "finishedAt")).isLessThan(Actuator.text(found, "expiresAt"));
		assertThat(text(response)).doesNotContain("81fe", ALICE);
		assertThat(actuator.get("idempotency/" + Actuator.text(found, "id"))).isEqualTo(found);
		assertThat(output.getAll()).doesNotContain("81fe");
		assertThat(application.storedText("id, account, operation, fingerprint")).contains("POST /payments")
			.doesNotContain("81fe");
	}

	@Test
	void bodiesAreNotShownByDefault() {
		pay(ALICE, "hidden-body");
		interruptRide("hidden-command");
		assertThat(lookUp("hidden-body").has("content")).isFalse();
		assertThat(lookUp("hidden-command").has("content")).isFalse();
	}

	@Test
	void bodiesAreShownWhereThePropertySaysSo() {
		pay(ALICE, "shown-body");
		application.post(ALICE, "/bytes", "shown-bytes", "{}");
		interruptRide("shown-command");
		try (RunningApplication open = start(application.database(), EXPOSED,
				"idempotency.endpoint.show-bodies=true")) {
			Function<String, JsonNode> content = (key) -> new Actuator(open)
				.post("idempotencylookup", Map.of("account", ALICE, "key", key))
				.path("content");
			JsonNode answer = content.apply("shown-body");
			assertThat(Actuator.text(answer, "body")).isEqualTo("{\"label\":\"shown-body\"}");
			assertThat(answer.path("headers").toString()).contains("X-Effect").doesNotContain("made-by");
			assertThat(Actuator.text(content.apply("shown-bytes"), "bodyBase64")).isEqualTo("/w==");
			JsonNode asked = content.apply("shown-command");
			assertThat(Actuator.text(asked.path("command").path("content"), "body"))
				.isEqualTo(Labelled.json("shown-command"));
			assertThat(asked.path("steps").has("ride_created")).isTrue();
			assertThat(new Actuator(open).get("idempotency/open").toString()).doesNotContain("shown-command");
		}
	}

	@Test
	void anAnswerThatCannotBeReadIsSaidToBeSo() {
		pay(ALICE, "unreadable");
		String id = Actuator.text(lookUp("unreadable"), "id");
		application.jdbc()
			.update("update idempotency_record set content = ? where id = ?", new byte[] { (byte) 0x99 },
					HexFormat.of().parseHex(id));
		try (RunningApplication open = start(application.database(), EXPOSED,
				"idempotency.endpoint.show-bodies=true")) {
			JsonNode found = new Actuator(open).get("idempotency/" + id);
			assertThat(Actuator.text(found, "state")).isEqualTo("finished");
			assertThat(found.path("content").path("unreadable").asBoolean(false)).isTrue();
		}
	}

	@Test
	@Tag("O1")
	void aRequestIsFoundInEachOfItsStates() {
		assertThat(Actuator.text(lookUp("never-sent"), "state")).isEqualTo("unknown");
		interruptRide("states");
		JsonNode waiting = lookUp("states");
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
		assertThat(Actuator.text(lookUp("states"), "state")).isEqualTo("running");
		gates.open("states");
		assertOriginal(retry.join(), 201);
		assertThat(Actuator.text(lookUp("states"), "state")).isEqualTo("finished");
		application.jdbc().update("update idempotency_record set expires_at = clock_timestamp()");
		assertThat(Actuator.text(lookUp("states"), "state")).isEqualTo("unknown");
	}

	@Test
	void aKeyIsLookedUpInItsAccountAndItsScope() {
		pay(ALICE, "whose");
		assertThat(state(Map.of("account", BOB, "key", "whose"))).isEqualTo("unknown");
		assertThat(state(Map.of("account", ALICE, "tenant", "acme", "key", "whose"))).isEqualTo("unknown");
		assertThat(state(Map.of("account", ALICE, "operation", "POST /payments", "key", "whose")))
			.isEqualTo("finished");
		application.post(ALICE, "/scoped", "scoped", "{}");
		assertThat(state(Map.of("account", ALICE, "scope", "account", "key", "scoped"))).isEqualTo("unknown");
		assertThat(state(Map.of("account", ALICE, "operation", "POST /scoped", "key", "scoped"))).isEqualTo("finished");
		assertThat(state(Map.of("account", ALICE, "scope", "endpoint:POST /scoped", "key", "scoped")))
			.isEqualTo("finished");
	}

	@Test
	@Tag("O1")
	void aKeyIsFoundUnderEveryScopeAndAllRequestsOfOneKeyAreListed() {
		application.post(ALICE, "/scoped", "anywhere", "{}");
		JsonNode found = lookUp("anywhere");
		assertThat(Actuator.text(found, "state")).isEqualTo("finished");
		assertThat(Actuator.text(found, "operation")).isEqualTo("POST /scoped");
		pay(ALICE, "anywhere");
		JsonNode several = lookUp("anywhere").path("requests");
		assertThat(several.valueStream().map((request) -> Actuator.text(request, "operation")))
			.containsExactlyInAnyOrder("POST /payments", "POST /scoped");
		assertThat(several.valueStream().map((request) -> Actuator.text(request, "id")))
			.allMatch((id) -> Actuator.text(actuator.get("idempotency/" + id), "state").equals("finished"));
	}

	private static String state(Map<String, String> query) {
		return Actuator.text(actuator.post("idempotencylookup", query), "state");
	}

	@Test
	void aLookUpThatMakesNoSenseIsRefusedWithoutRepeatingTheKey() {
		List<Map<String, String>> queries = List.of(Map.of("account", ALICE),
				Map.of("key", "senseless", "operation", "POST /nowhere"),
				Map.of("key", "senseless", "operation", "POST /payments", "scope", "account"));
		assertThat(queries).allSatisfy((query) -> {
			HttpResponse<byte[]> response = actuator.send("idempotencylookup", query);
			assertThat(response.statusCode()).isEqualTo(400);
			assertThat(text(response)).doesNotContain("senseless");
		});
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
		pay(ALICE, "estimated");
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

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		ResponseEntity<Labelled> pay(@RequestBody Labelled payment) {
			this.effects.record(payment.label());
			return ResponseEntity.status(201).header("X-Effect", "made-by").body(payment);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping("/scoped")
		String scoped() {
			return "scoped";
		}

		@Idempotent
		@PostMapping("/bytes")
		byte[] bytes() {
			return new byte[] { (byte) 0xff };
		}

	}

}
