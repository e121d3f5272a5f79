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
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.PhaseHook;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.maintenance.IdempotencyReaper;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The operators' actions on requests that do not complete. An hour after its last attempt
 * a ride is stuck here.
 */
@Tag("Y7")
class ActuatorActionTests {

	private static Provider provider;

	private static RunningApplication application;

	private static Actuator actuator;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = RunningApplication.start(List.of(Rides.class, Gates.class), "provider=" + provider.address(),
				"idempotency.completer.enabled=false", "idempotency.reaper.interval=20ms",
				"idempotency.reaper.keep-unfinished=1h",
				"management.endpoints.web.exposure.include=idempotency,idempotencylookup",
				"management.endpoint.idempotency.access=unrestricted");
		actuator = new Actuator(application);
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	private static String stuckRide(String key) {
		provider.failWith((unused) -> Fault.UNAVAILABLE);
		assertThat(application.post("/rides", key).statusCode()).isEqualTo(503);
		provider.failWith((unused) -> Fault.NONE);
		String id = Actuator.text(actuator.lookUp(key), "id");
		application.jdbc()
			.update("update idempotency_lease set lease_until = lease_until - interval '2h' where id = ?",
					HexFormat.of().parseHex(id));
		await().until(() -> Actuator.text(actuator.lookUp(key), "state").equals("stuck"));
		return id;
	}

	@Test
	void aStuckRideIsListedAndGoesOnWhenAnOperatorSaysSo() {
		String id = stuckRide("resumed");
		assertThat(application.post("/rides", "resumed").statusCode()).isEqualTo(409);
		assertThat(actuator.get("idempotency/stuck").path("requests").findValuesAsString("id")).contains(id);
		JsonNode done = actuator.post("idempotency/" + id + "/retry", Map.of());
		assertThat(done.path("done").asBoolean(false)).isTrue();
		assertThat(Actuator.text(done, "state")).isEqualTo("waiting");
		awaitTwoRunsOfTheReaper();
		assertOriginal(application.post("/rides", "resumed"), 201);
		assertThat(isReplay(application.post("/rides", "resumed"))).isTrue();
		assertThat(application.effects("resumed")).isEqualTo(1);
		assertThat(application.effects("resumed done")).isEqualTo(1);
	}

	/**
	 * The first one may have begun before.
	 */
	private static void awaitTwoRunsOfTheReaper() {
		IdempotencyReaper reaper = application.context().getBean(IdempotencyReaper.class);
		for (int i = 0; i < 2; i++) {
			Instant last = reaper.lastRun();
			await().until(() -> !Objects.equals(reaper.lastRun(), last));
		}
	}

	@Test
	void aStuckRideIsGivenUpWithAnAnswerThatItsSenderGets() {
		String id = stuckRide("given-up");
		JsonNode done = actuator.post("idempotency/" + id + "/abandon",
				Map.of("status", 410, "contentType", "text/plain", "body", "refunded by hand"));
		assertThat(done.path("done").asBoolean(false)).isTrue();
		assertThat(Actuator.text(done, "state")).isEqualTo("finished");
		HttpResponse<byte[]> retry = application.post("/rides", "given-up");
		assertThat(isReplay(retry)).isTrue();
		assertThat(retry.statusCode()).isEqualTo(410);
		assertThat(retry.headers().firstValue("Content-Type"))
			.hasValueSatisfying((value) -> assertThat(value).startsWith("text/plain"));
		assertThat(text(retry)).isEqualTo("refunded by hand");
		assertThat(application.effects("given-up done")).isZero();
	}

	@Test
	void aStuckRideIsGivenUpWithAProblemIfNothingElseIsSaid() {
		String id = stuckRide("problem");
		actuator.post("idempotency/" + id + "/abandon", Map.of());
		HttpResponse<byte[]> retry = application.post("/rides", "problem");
		assertThat(retry.statusCode()).isEqualTo(500);
		assertThat(retry.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(Actuator.json(retry).path("status").asInt()).isEqualTo(500);
		assertThat(Actuator.text(Actuator.json(retry), "title")).isEqualTo("Request abandoned");
	}

	@ParameterizedTest
	@ValueSource(strings = { "retry", "abandon" })
	void aRequestThatIsRunningIsLeftAlone(String action) {
		String key = "running-" + action;
		Gates gates = application.context().getBean(Gates.class);
		PhaseHook.once("after-charge", key, () -> gates.pass(key));
		CompletableFuture<HttpResponse<byte[]>> ride = Parallel.start(() -> application.post("/rides", key));
		gates.awaitReached(key);
		HttpResponse<byte[]> refused = actuator
			.send("idempotency/" + Actuator.text(actuator.lookUp(key), "id") + "/" + action, Map.of());
		assertThat(refused.statusCode()).isEqualTo(409);
		assertThat(Actuator.json(refused).path("done").asBoolean(true)).isFalse();
		assertThat(Actuator.text(Actuator.json(refused), "state")).isEqualTo("running");
		gates.open(key);
		assertOriginal(ride.join(), 201);
	}

	@ParameterizedTest
	@ValueSource(strings = { "retry", "abandon" })
	void aRequestWithAnAnswerKeepsIt(String action) {
		String key = "finished-" + action;
		provider.failWith((unused) -> Fault.NONE);
		HttpResponse<byte[]> first = application.post("/rides", key);
		HttpResponse<byte[]> refused = actuator
			.send("idempotency/" + Actuator.text(actuator.lookUp(key), "id") + "/" + action, Map.of());
		assertThat(refused.statusCode()).isEqualTo(409);
		assertThat(Actuator.text(Actuator.json(refused), "state")).isEqualTo("finished");
		assertThat(application.post("/rides", key).body()).isEqualTo(first.body());
	}

	@ParameterizedTest
	@ValueSource(strings = { "retry", "abandon" })
	void anActionOnAStateThatHasChangedSinceItWasShownIsRefused(String action) {
		String key = "shown-once-" + action;
		String id = stuckRide(key);
		String shown = Actuator.text(actuator.get("idempotency/" + id), "version");
		assertThat(
				actuator.post("idempotency/" + id + "/retry", Map.of("version", shown)).path("done").asBoolean(false))
			.isTrue();
		provider.failWith((unused) -> Fault.UNAVAILABLE);
		assertThat(application.post("/rides", key).statusCode()).isEqualTo(503);
		provider.failWith((unused) -> Fault.NONE);
		HttpResponse<byte[]> refused = actuator.send("idempotency/" + id + "/" + action, Map.of("version", shown));
		assertThat(refused.statusCode()).isEqualTo(409);
		assertThat(Actuator.text(Actuator.json(refused), "state")).isEqualTo("waiting");
		assertThat(Actuator.text(Actuator.json(refused), "detail")).contains("has changed since version " + shown);
		assertOriginal(application.post("/rides", key), 201);
	}

	@ParameterizedTest
	@ValueSource(strings = { "00/retry", "nothing/abandon",
			"0000000000000000000000000000000000000000000000000000000000000000/retry",
			"0000000000000000000000000000000000000000000000000000000000000000/forget", "forget?account=a" })
	void whatIsNotThereIsNotFound(String path) {
		assertThat(actuator.send("idempotency/" + path, Map.of()).statusCode()).isEqualTo(404);
	}

	@Test
	void anAnswerThatIsNoFailureIsRefused() {
		String id = stuckRide("no-success");
		assertThat(actuator.send("idempotency/" + id + "/abandon", Map.of("status", 200)).statusCode()).isEqualTo(400);
		assertThat(actuator.send("idempotency/" + id + "/abandon", Map.of("status", 410, "contentType", "a\nb"))
			.statusCode()).isEqualTo(400);
		assertThat(Actuator.text(actuator.lookUp("no-success"), "state")).isEqualTo("stuck");
	}

}
