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

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.FaultyProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Statements of a lease that the network swallows, one of each kind: without a time-out
 * of the network the request would wait for ever, with its key and its connection. A
 * client waits for a minute here.
 */
@Tag("postgresql")
@Tag("X22")
class SwallowedStatementTests {

	private static FaultyProxy proxy;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(Handlers.class),
				// Statements are recognized by their text, which is sent once when they
				// are prepared
				"spring.datasource.hikari.data-source-properties.prepareThreshold=0", "idempotency.store.timeout=1s",
				"idempotency.lease.duration=4s", "idempotency.completer.enabled=false",
				"idempotency.reaper.enabled=false");
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', textBlock = """
			claim   | /leased   | insert into idempotency_lease
			finish  | /leased   | with mine as (delete from idempotency_lease
			confirm | /leased   | set effects = effects or
			release | /failing  | delete from idempotency_lease where id
			hold    | /phases   | for no key update
			advance | /phases   | set recovery_point
			""")
	void aStatementThatTheNetworkSwallowsEndsInTime(String statement, String path, String text) {
		String key = statement + path;
		proxy.swallowNext(text);
		HttpResponse<byte[]> first = application.post(path, key);
		assertThat(proxy.isSwallowPending()).as("the statement was swallowed").isFalse();
		assertThat(first.statusCode()).isIn(200, 409, 500, 503);
		// As soon as the lease is over, unless an operator has to decide.
		await().until(() -> {
			HttpResponse<byte[]> retry = application.post(path, key);
			return retry.statusCode() == 200 || new String(retry.body()).contains("/stuck");
		});
		assertThat(application.effects(key)).isEqualTo(1);
	}

	@RestController
	@Idempotent(mode = Mode.LEASED)
	static class Handlers {

		private final Effects effects;

		private boolean failed;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@PostMapping("/leased")
		Map<String, Object> leased(@RequestBody Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@PostMapping("/failing")
		Map<String, Object> failing(@RequestBody Labelled body) {
			if (!this.failed) {
				this.failed = true;
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
			}
			return leased(body);
		}

		@PostMapping("/phases")
		Map<String, Object> phases(@RequestBody Labelled body, Phases phases) {
			phases.atomic("first", () -> this.effects.record(body.label()));
			return phases.finish(() -> Map.of("label", body.label()));
		}

	}

}
