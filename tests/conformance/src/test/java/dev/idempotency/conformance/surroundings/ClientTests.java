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
package dev.idempotency.conformance.surroundings;

import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.client.IdempotencyKeys;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that set keys automatically, within protected endpoints.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClientTests {

	private static final String WARNING = "calls another system (POST http://127.0.0.1:";

	private static Provider provider;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = ClientHandlers.start(provider, "warn");
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	@BeforeEach
	void repairTheProvider() {
		provider.failWith((key) -> Fault.NONE);
	}

	@Test
	@Tag("P2")
	void aForeignStepSendsItsOwnKeyOnEveryAttemptOfTheRequest() {
		List<String> handedOut = new CopyOnWriteArrayList<>();
		Function<ClientHandlers, Object> ride = (handlers) -> {
			handlers.phases.foreign("charge", String.class, (key) -> {
				handedOut.add(key);
				return handlers.charge();
			});
			return handlers.phases.finish(() -> "charged");
		};
		int before = provider.keys().size();
		provider.failWith((key) -> Fault.ANSWER_LOST);
		assertProblem(ClientHandlers.call(application, "phases", "ride", ride), 503, "interrupted");
		provider.failWith((key) -> Fault.NONE);
		assertOriginal(ClientHandlers.call(application, "phases", "ride", ride), 201);
		List<String> sent = provider.keys().subList(before, provider.keys().size());
		assertThat(sent).hasSize(ClientHandlers.ATTEMPTS + 1);
		assertThat(handedOut).hasSize(2);
		assertThat(new HashSet<>(handedOut)).hasSize(1);
		assertThat(sent).containsOnly(OutgoingKey.derived(handedOut.get(0), provider.address()));
	}

	@Test
	void anOperationInsideOfAForeignStepBelongsToTheStep() {
		int before = provider.keys().size();
		assertOriginal(ClientHandlers.call(application, "phases", "inner", (handlers) -> {
			handlers.phases.foreign("charge", String.class, (key) -> {
				IdempotencyKeys.operation(handlers::charge);
				assertThat(provider.keys().get(before)).isEqualTo(OutgoingKey.derived(key, provider.address()));
				return key;
			});
			IdempotencyKeys.operation(handlers::charge);
			return handlers.phases.finish(() -> "charged");
		}), 201);
		assertThat(provider.keys().subList(before, before + 2)).as("outside of the step").doesNotHaveDuplicates();
	}

	@Test
	void aCallInsideOfATransactionIsWarnedOfOnceForTheOperation(CapturedOutput output) {
		for (String label : List.of("first", "second")) {
			assertOriginal(ClientHandlers.call(application, "warned", label, ClientHandlers::charge), 201);
		}
		assertThat(output.getOut().split(Pattern.quote(WARNING), -1)).hasSize(2);
		assertThat(output).contains("POST /warned/{label} calls", "mode LEASED", "Phases.foreign");
	}

	@Test
	void callsWhereTheyBelongAreNotWarnedOf(CapturedOutput output) {
		assertOriginal(ClientHandlers.call(application, "transactional", "no-call", (handlers) -> "nothing"), 201);
		assertOriginal(ClientHandlers.call(application, "leased", "leased", ClientHandlers::charge), 201);
		assertOriginal(ClientHandlers.call(application, "phases", "foreign", (handlers) -> {
			handlers.phases.atomic("before", () -> {
			});
			handlers.phases.foreign("charge", String.class, (key) -> handlers.charge());
			return handlers.phases.finish(() -> "charged");
		}), 201);
		assertOriginal(ClientHandlers.call(application, "leased", "after-an-inner-one", (handlers) -> {
			handlers.inner(() -> "inner");
			return handlers.charge();
		}), 201);
		assertOriginal(ClientHandlers.call(application, "transactional", "reads", (handlers) -> {
			return handlers.provider.get().uri("/").exchange((request, response) -> "read");
		}), 201);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void callsInsideOfTransactionsCanBeMadeToFail() {
		try (RunningApplication strict = ClientHandlers.start(provider, "fail")) {
			int before = provider.keys().size();
			assertThat(ClientHandlers.call(strict, "transactional", "strict", ClientHandlers::charge).statusCode())
				.isEqualTo(500);
			assertThat(ClientHandlers
				.call(strict, "leased", "strict-inner", (handlers) -> handlers.inner(handlers::charge))
				.statusCode()).isEqualTo(500);
			assertThat(ClientHandlers.call(strict, "phases", "strict-atomic", (handlers) -> {
				handlers.phases.atomic("charge", String.class, handlers::charge);
				return "charged";
			}).statusCode()).isEqualTo(500);
			assertThat(ClientHandlers
				.call(strict, "phases", "strict-finish", (handlers) -> handlers.phases.finish(handlers::charge))
				.statusCode()).isEqualTo(500);
			assertThat(provider.keys()).hasSize(before);
			assertOriginal(ClientHandlers.call(strict, "leased", "allowed", ClientHandlers::charge), 201);
			assertThat(provider.keys()).hasSize(before + 1);
		}
	}

}
