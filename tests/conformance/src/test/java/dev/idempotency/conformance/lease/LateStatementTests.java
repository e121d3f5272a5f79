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
package dev.idempotency.conformance.lease;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.DelayedStatement;
import dev.idempotency.testsupport.FaultyProxy;

import static dev.idempotency.conformance.app.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Statements of a lease that the server executes when their owner has given up, or when
 * another delivery has been executed.
 */
@Tag("postgresql")
@Tag("X10")
class LateStatementTests {

	private static final Gates GATES = new Gates();

	private static FaultyProxy proxy;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(Handlers.class),
				"idempotency.lease.duration=2s", "idempotency.completer.enabled=false",
				"idempotency.reaper.enabled=false");
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
	}

	private enum Arrival {

		BEFORE_THE_RETRY, AFTER_THE_RETRY

	}

	@ParameterizedTest(name = "{0} {1}")
	@CsvSource(delimiter = '|', textBlock = """
			claim     | BEFORE_THE_RETRY | /leased      | set_config('idempotency.locked'
			claim     | AFTER_THE_RETRY  | /leased      | set_config('idempotency.locked'
			confirm   | AFTER_THE_RETRY  | /leased      | set effects = effects or
			finish    | AFTER_THE_RETRY  | /leased      | with mine as (delete from idempotency_lease
			release   | BEFORE_THE_RETRY | /failing     | delete from idempotency_lease where id
			release   | AFTER_THE_RETRY  | /failing     | delete from idempotency_lease where id
			hold      | AFTER_THE_RETRY  | /interrupted | select pg_advisory_xact_lock
			advance   | AFTER_THE_RETRY  | /foreign     | set recovery_point
			interrupt | BEFORE_THE_RETRY | /interrupted | last_error =
			interrupt | AFTER_THE_RETRY  | /interrupted | last_error =
			""")
	void aStatementThatArrivesLateChangesNothing(String statement, Arrival arrival, String path, String text) {
		String key = statement + arrival;
		GATES.open(key);
		DelayedStatement late = proxy.delayNext(text);
		application.post(path, key);
		assertThat(late.isSent()).as("the statement was sent").isTrue();
		if (arrival == Arrival.BEFORE_THE_RETRY) {
			late.deliver();
		}
		await().until(() -> application.post(path, key).statusCode() == 200);
		String answer = text(application.post(path, key));
		late.deliver();
		assertThat(text(application.post(path, key))).isEqualTo(answer);
		assertThat(application.effects(key)).isEqualTo(1);
		assertThat(application.jdbc()
			.queryForObject("select count(*) from idempotency_lease where namespace <> ''", Integer.class)).isZero();
	}

	@Test
	@Tag("X22")
	void aHeartbeatThatArrivesAfterTheEndOfARunKeepsNobodyFromTheKey() {
		String key = "heartbeat";
		DelayedStatement late = proxy.delayNext("update idempotency_lease set lease_until");
		CompletableFuture<HttpResponse<byte[]>> first = Parallel.start(() -> application.post("/interrupted", key));
		GATES.awaitReached(key);
		await().until(late::isSent);
		GATES.open(key);
		assertThat(first.join().statusCode()).isEqualTo(503);
		late.deliver();
		assertThat(application.post("/interrupted", key).statusCode()).isEqualTo(200);
		assertThat(application.effects(key)).isEqualTo(1);
	}

	@RestController
	@Idempotent(mode = Mode.LEASED)
	static class Handlers {

		private final Effects effects;

		private final Set<String> failed = ConcurrentHashMap.newKeySet();

		Handlers(Effects effects) {
			this.effects = effects;
		}

		private void failOnce(String label) {
			if (this.failed.add(label)) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
			}
		}

		@PostMapping("/leased")
		Map<String, Object> leased(@RequestBody Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@PostMapping("/failing")
		Map<String, Object> failing(@RequestBody Labelled body) {
			failOnce(body.label());
			return leased(body);
		}

		@PostMapping("/foreign")
		Map<String, Object> foreign(@RequestBody Labelled body, Phases phases) {
			String key = phases.foreign("asked", String.class, (outgoing) -> outgoing);
			return phases.finish(() -> Map.of("key", key, "id", this.effects.record(body.label()).getId()));
		}

		@PostMapping("/interrupted")
		Map<String, Object> interrupted(@RequestBody Labelled body, Phases phases) {
			phases.atomic("first", () -> this.effects.record(body.label()));
			GATES.pass(body.label());
			failOnce(body.label());
			return phases.finish(() -> Map.of("label", body.label()));
		}

	}

}
