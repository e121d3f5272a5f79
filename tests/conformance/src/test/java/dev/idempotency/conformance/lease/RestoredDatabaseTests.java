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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A database that has lost its last transactions, as after an asynchronous failover or a
 * restore, while the owners of the lost claims are still at work.
 */
@Tag("postgresql")
@Tag("X40")
class RestoredDatabaseTests {

	private static final Gates GATES = new Gates();

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Handlers.class, "idempotency.completer.enabled=false",
				"idempotency.reaper.enabled=false");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leased", "/transactional", "/phases" })
	void anOwnerWhoseClaimWasLostIsNotTheOwnerOfTheNextClaim(String path) {
		String key = path.substring(1);
		Long number = application.jdbc().queryForObject("select nextval('idempotency_claim_number')", Long.class);
		CompletableFuture<HttpResponse<byte[]>> lost = Parallel.start(() -> application.post(path, key));
		GATES.awaitReached(key + 1);
		application.jdbc().update("delete from idempotency_lease where namespace <> ''");
		application.jdbc().queryForObject("select setval('idempotency_claim_number', ?)", Long.class, number);
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post(path, key));
		GATES.awaitReached(key + 2);
		GATES.open(key + 1);
		assertProblem(lost.join(), 409, "in-progress");
		assertThat(application.effects(key)).isZero();
		GATES.open(key + 2);
		HttpResponse<byte[]> first = owner.join();
		assertOriginal(first, 201);
		assertReplay(application.post(path, key), first);
		assertThat(application.effects(key)).isEqualTo(1);
	}

	@RestController
	@ResponseStatus(HttpStatus.CREATED)
	@Idempotent(mode = Mode.LEASED)
	static class Handlers {

		private final AtomicInteger number = new AtomicInteger();

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@PostMapping("/leased")
		Map<String, Object> leased(@RequestBody Labelled body) {
			pass(body);
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Transactional
		@PostMapping("/transactional")
		public Map<String, Object> transactional(@RequestBody Labelled body) {
			pass(body);
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@PostMapping("/phases")
		Map<String, Object> phases(@RequestBody Labelled body, Phases phases) {
			pass(body);
			return phases.finish(() -> Map.of("id", this.effects.record(body.label()).getId()));
		}

		private void pass(Labelled body) {
			GATES.pass(body.label() + (this.number.getAndIncrement() % 2 + 1));
		}

	}

}
