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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
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
import dev.idempotency.conformance.app.StoreHook;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.AbandonedResponse;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Decisions of an operator while the owner, slower than its lease, commits its effects.
 */
@Tag("X39")
class OperatorDecisionTests {

	private static final Gates GATES = new Gates();

	private static RunningApplication application;

	private static UnfinishedRequests requests;

	private static StoreHook hook;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Handlers.class, StoreHook.class),
				"idempotency.lease.duration=1s", "idempotency.lease.max=1s", "idempotency.completer.enabled=false",
				"idempotency.reaper.enabled=false");
		requests = application.context().getBean(UnfinishedRequests.class);
		hook = application.context().getBean(StoreHook.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "claim", "retry" })
	void effectsThatAreCommittedAfterTheLookAreNotForgotten(String statement) {
		String key = "x39-" + statement;
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/payments", key));
		GATES.awaitReached(key);
		UnfinishedRequest seen = await().until(() -> requests.open(1).get(0),
				(request) -> request.state() == State.WAITING);
		hook.before(statement, () -> {
			GATES.open(key);
			GATES.awaitReached(key + "-paid");
		});
		boolean changed = statement.equals("claim") ? requests.abandon(seen, AbandonedResponse.problem(410, "{}"))
				: requests.retry(seen);
		assertThat(hook.isDone()).isTrue();
		assertThat(changed).isFalse();
		GATES.open(key + "-paid");
		assertOriginal(owner.join(), 201);
		assertReplay(application.post("/payments", key), owner.join());
		assertThat(application.effects(key)).isEqualTo(1);
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(mode = Mode.LEASED)
		@ResponseStatus(HttpStatus.CREATED)
		@PostMapping("/payments")
		Map<String, Object> pay(@RequestBody Labelled payment) {
			GATES.pass(payment.label());
			Object id = this.effects.record(payment.label()).getId();
			GATES.pass(payment.label() + "-paid");
			return Map.of("id", id);
		}

	}

}
