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
import java.util.function.Function;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
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
 * The operators' view of one request: found by its key, and with no more of it than asked
 * for.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("Y7")
class ActuatorLookupTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=idempotency,idempotencylookup";

	private static Provider provider;

	private static RunningApplication application;

	private static Actuator actuator;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = start(MigratedDatabase.create(), "idempotency.reaper.interval=1h");
		actuator = new Actuator(application);
		LoggingSystem.get(Actuator.class.getClassLoader()).setLogLevel("dev.idempotency", LogLevel.TRACE);
	}

	@AfterAll
	static void stop() {
		LoggingSystem.get(Actuator.class.getClassLoader()).setLogLevel("dev.idempotency", LogLevel.INFO);
		application.close();
		provider.close();
	}

	private static RunningApplication start(TestDatabase database, String property) {
		return RunningApplication.start(database, List.of(Rides.class, Payments.class, Gates.class),
				"provider=" + provider.address(), "idempotency.completer.threads=0", EXPOSED, property);
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
		assertThat(actuator.lookUp("hidden-body").has("content")).isFalse();
		assertThat(actuator.lookUp("hidden-command").has("content")).isFalse();
	}

	@Test
	void bodiesAreShownWhereThePropertySaysSo() {
		pay(ALICE, "shown-body");
		application.post(ALICE, "/bytes", "shown-bytes", "{}");
		interruptRide("shown-command");
		try (RunningApplication open = start(application.database(), "idempotency.endpoint.show-bodies=true")) {
			Function<String, JsonNode> content = (key) -> new Actuator(open).lookUp(key).path("content");
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
		String id = Actuator.text(actuator.lookUp("unreadable"), "id");
		application.jdbc()
			.update("update idempotency_record set content = ? where id = ?", new byte[] { (byte) 0x99 },
					HexFormat.of().parseHex(id));
		try (RunningApplication open = start(application.database(), "idempotency.endpoint.show-bodies=true")) {
			JsonNode found = new Actuator(open).get("idempotency/" + id);
			assertThat(Actuator.text(found, "state")).isEqualTo("finished");
			assertThat(found.path("content").path("unreadable").asBoolean(false)).isTrue();
		}
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
		JsonNode found = actuator.lookUp("anywhere");
		assertThat(Actuator.text(found, "state")).isEqualTo("finished");
		assertThat(Actuator.text(found, "operation")).isEqualTo("POST /scoped");
		pay(ALICE, "anywhere");
		JsonNode several = actuator.lookUp("anywhere").path("requests");
		assertThat(several.valueStream().map((request) -> Actuator.text(request, "operation")))
			.containsExactlyInAnyOrder("POST /payments", "POST /scoped");
		assertThat(several.valueStream().map((request) -> Actuator.text(request, "id")))
			.allMatch((id) -> Actuator.text(actuator.get("idempotency/" + id), "state").equals("finished"));
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

	private static String state(Map<String, String> query) {
		return Actuator.text(actuator.post("idempotencylookup", query), "state");
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
