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
package dev.idempotency.conformance.replay;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that catch every exception: what they make of their own stays theirs, and
 * the library's problems and replays are not theirs to catch.
 */
class CatchAllAdviceTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Payments.class, CatchAll.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("X1")
	void theProblemsOfTheLibraryAreNotSwallowed() {
		Gates gates = application.context().getBean(Gates.class);
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/payments", "problems"));
		gates.awaitReached("problems");
		assertProblem(application.post("/payments", "problems"), 409, "in-progress");
		gates.open("problems");
		assertOriginal(owner.join(), 201);
		assertReplay(application.post("/payments", "problems"), owner.join());
		assertProblem(application.post(ALICE, "/payments", "problems", Labelled.json("other")), 422, "key-reused");
		assertProblem(application.send(application.json(ALICE, "/payments", Labelled.json("none"))), 400,
				"missing-key");
		assertProblem(application.post("/payments", "\"unfinished"), 400, "malformed-key");
	}

	@Test
	@Tag("X2")
	void aFailureThatTheCatchAllMakesA500OfIsRolledBackAndNotStored() {
		long records = application.records();
		HttpResponse<byte[]> failed = application.post("/payments", "fail-500");
		assertOriginal(failed, 500);
		assertThat(text(failed)).isEqualTo("{\"caught\":\"IllegalStateException\"}");
		assertOriginal(application.post("/payments", "fail-500"), 500);
		assertThat(application.effects("fail-500")).isZero();
		assertThat(application.records()).isEqualTo(records);
	}

	@Test
	@Tag("X3")
	void aFailureThatTheCatchAllMakesA409OfIsStored() {
		HttpResponse<byte[]> refused = application.post("/payments", "fail-409");
		assertOriginal(refused, 409);
		assertReplay(application.post("/payments", "fail-409"), refused);
		assertThat(application.effects("fail-409")).isZero();
	}

	/**
	 * As the answer of a {@code @Transactional} handler without the library: its rows are
	 * rolled back because of the exception, and what the application makes of that is its
	 * answer, also when it calls it a success.
	 */
	@Test
	@Tag("X3")
	void aFailureThatTheApplicationAnswersWithASuccessIsRolledBackAndStoredAsItsAnswer() {
		HttpResponse<byte[]> answered = application.post("/payments", "fail-200");
		assertOriginal(answered, 200);
		assertThat(application.effects("fail-200")).isZero();
		assertReplay(application.post("/payments", "fail-200"), answered);
		assertThat(application.effects("fail-200")).isZero();
		HttpResponse<byte[]> unprotected = application.post(ALICE, "/unprotected", "none", Labelled.json("fail-200"));
		assertThat(unprotected.statusCode()).isEqualTo(200);
		assertThat(text(unprotected)).isEqualTo(text(answered));
		assertThat(application.effects("fail-200")).isZero();
	}

	@RestController
	@Import(Gates.class)
	static class Payments {

		private final Effects effects;

		private final Gates gates;

		Payments(Effects effects, Gates gates) {
			this.effects = effects;
			this.gates = gates;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			Map<String, Object> paid = Map.of("id", this.effects.record(payment.label()).getId());
			switch (payment.label()) {
				case "fail-409" -> throw new IllegalArgumentException("409");
				case "fail-200" -> throw new IllegalCallerException("200");
				case "fail-500" -> throw new IllegalStateException("500");
				default -> this.gates.pass(payment.label());
			}
			return paid;
		}

		@Transactional
		@PostMapping("/unprotected")
		public Map<String, Object> payUnprotected(@RequestBody Labelled payment) {
			return pay(payment);
		}

	}

	@RestControllerAdvice
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class CatchAll {

		@ExceptionHandler(Exception.class)
		ResponseEntity<Map<String, Object>> handle(Exception ex) {
			HttpStatus status = (ex instanceof IllegalArgumentException) ? HttpStatus.CONFLICT
					: (ex instanceof IllegalCallerException) ? HttpStatus.OK : HttpStatus.INTERNAL_SERVER_ERROR;
			return ResponseEntity.status(status).body(Map.of("caught", ex.getClass().getSimpleName()));
		}

	}

}
