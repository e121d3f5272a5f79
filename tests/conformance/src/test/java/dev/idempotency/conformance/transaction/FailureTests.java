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
package dev.idempotency.conformance.transaction;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that fail, in all the ways in which a Spring application says so.
 */
class FailureTests {

	private static final List<String> WAYS = List.of("value", "exception-handler", "status-exception",
			"error-response");

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Failing.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void handlersFail() {
		application.context().getBean(Weather.class).bad.set(true);
	}

	private static void handlersSucceed() {
		application.context().getBean(Weather.class).bad.set(false);
	}

	@Test
	@Tag("X1")
	void anExceptionWithoutAMappingRollsBackAndLeavesTheKeyFree() {
		long records = application.records();
		assertOriginal(application.post("/fail/exception/0", "x1"), 500);
		assertThat(application.effects("x1")).isZero();
		assertThat(application.records()).isEqualTo(records);
		handlersSucceed();
		HttpResponse<byte[]> retry = application.post("/fail/exception/0", "x1");
		assertOriginal(retry, 201);
		assertReplay(application.post("/fail/exception/0", "x1"), retry);
		assertThat(application.effects("x1")).isEqualTo(1);
	}

	@Test
	@Tag("X1")
	void aCheckedExceptionAndAnErrorRollBackToo() {
		for (String way : new String[] { "checked", "error" }) {
			assertOriginal(application.post("/fail/" + way + "/0", "x1-" + way), 500);
			assertThat(application.effects("x1-" + way)).isZero();
		}
		handlersSucceed();
		assertOriginal(application.post("/fail/checked/0", "x1-checked"), 201);
		assertOriginal(application.post("/fail/error/0", "x1-error"), 201);
	}

	@ParameterizedTest
	@ValueSource(ints = { 500, 502, 503, 504, 408, 425, 429 })
	@Tag("X2")
	void whatMayBeDifferentNextTimeIsNotStored(int status) {
		for (String way : WAYS) {
			String key = "x2-" + way + "-" + status;
			String path = "/fail/" + way + "/" + status;
			handlersFail();
			long records = application.records();
			HttpResponse<byte[]> failed = application.post(path, key);
			assertOriginal(failed, status);
			assertThat(application.effects(key)).as(key).isZero();
			assertThat(application.records()).as(key).isEqualTo(records);
			handlersSucceed();
			assertOriginal(application.post(path, key), 201);
			assertThat(application.effects(key)).as(key).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 402, 404, 409, 422 })
	@Tag("X3")
	void aBusinessAnswerIsStoredHoweverItIsMade(int status) {
		for (String way : WAYS) {
			String key = "x3-" + way + "-" + status;
			String path = "/fail/" + way + "/" + status;
			handlersFail();
			HttpResponse<byte[]> refused = application.post(path, key);
			assertOriginal(refused, status);
			assertThat(refused.body()).as(key).isNotEmpty();
			handlersSucceed();
			HttpResponse<byte[]> retry = application.post(path, key);
			assertReplay(retry, refused);
			assertThat(retry.headers().firstValue("Content-Type"))
				.isEqualTo(refused.headers().firstValue("Content-Type"));
		}
	}

	@Test
	@Tag("X3")
	void anExceptionWithItsOwnStatusIsStoredOrNotByThatStatus() {
		HttpResponse<byte[]> notFound = application.post("/fail/annotated/404", "x3-annotated");
		assertOriginal(notFound, 404);
		assertOriginal(application.post("/fail/annotated/503", "x2-annotated"), 503);
		handlersSucceed();
		assertReplay(application.post("/fail/annotated/404", "x3-annotated"), notFound);
		assertOriginal(application.post("/fail/annotated/503", "x2-annotated"), 201);
	}

	@Test
	@Tag("X3")
	void whatARefusalByValueWroteStaysAndWhatARefusalByExceptionWroteDoesNot() {
		assertOriginal(application.post("/fail/value/402", "x3-kept"), 402);
		assertThat(application.effects("x3-kept")).isEqualTo(1);
		assertOriginal(application.post("/fail/exception-handler/402", "x3-gone"), 402);
		assertThat(application.effects("x3-gone")).isZero();
	}

	@Test
	@Tag("X3")
	void theErrorPageOfABusinessAnswerIsReplayedAsItWas() {
		HttpResponse<byte[]> refused = application.post("/fail/status-exception/409", "x3-page");
		assertThat(text(refused)).contains("\"path\":\"/fail/status-exception/409\"", "\"status\":409");
		assertReplay(application.post("/fail/status-exception/409", "x3-page"), refused);
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '\'', delimiter = '|', textBlock = """
			/validated             | {"label":""}
			/validated             | {"label":
			/validated             | {"label":{"un":"expected"}}
			/validated?count=many  | {"label":"x4"}
			/constrained           | {"label":"much too long"}
			/constrained?count=9   | {"label":"x4"}
			/intercepted           | {"label":""}
			/intercepted?count=9   | {"label":"x4"}""")
	@Tag("X4")
	void aRequestThatIsInvalidIsNotStoredAndItsCorrectionRuns(String path, String invalid) {
		String key = "x4-" + Integer.toHexString((path + invalid).hashCode());
		long records = application.records();
		assertOriginal(application.post(ALICE, path, key, invalid), 400);
		assertThat(application.records()).isEqualTo(records);
		handlersSucceed();
		String correctedPath = path.replaceAll("\\?.*", "");
		HttpResponse<byte[]> corrected = application.post(ALICE, correctedPath, key, Labelled.json("x4"));
		assertOriginal(corrected, 201);
		assertReplay(application.post(ALICE, correctedPath, key, Labelled.json("x4")), corrected);
	}

	/**
	 * A switch for failures of handlers.
	 */
	static class Weather {

		private final AtomicBoolean bad = new AtomicBoolean();

	}

	@RestController
	@Import({ Weather.class, ValidatedArguments.class, ValidatedBean.class })
	static class Failing {

		private final Effects effects;

		private final Weather weather;

		Failing(Effects effects, Weather weather) {
			this.effects = effects;
			this.weather = weather;
		}

		@Idempotent
		@PostMapping("/fail/{way}/{status}")
		ResponseEntity<?> fail(@PathVariable String way, @PathVariable int status, @RequestBody Labelled body)
				throws Exception {
			this.effects.record(body.label());
			if (!this.weather.bad.get()) {
				return ResponseEntity.status(201).body(Map.of("label", body.label()));
			}
			switch (way) {
				case "value" -> {
					return ResponseEntity.status(status).body(Map.of("refused", body.label()));
				}
				case "exception-handler" -> throw new MappedException(status);
				case "annotated" -> throw (status == 503) ? new Unavailable() : new NotFound();
				case "status-exception" -> throw new ResponseStatusException(HttpStatus.valueOf(status), "because");
				case "error-response" -> throw new ErrorResponseException(HttpStatus.valueOf(status),
						ProblemDetail.forStatusAndDetail(HttpStatus.valueOf(status), "because"), null);
				case "checked" -> throw new Exception("checked");
				case "error" -> throw new AssertionError("error");
				default -> throw new IllegalStateException("unexpected");
			}
		}

		@ExceptionHandler
		ResponseEntity<Map<String, Object>> handle(MappedException ex) {
			return ResponseEntity.status(ex.status).body(Map.of("mapped", ex.status));
		}

	}

	/**
	 * A request body with a rule.
	 *
	 * @param label the label of the effect
	 */
	record Payment(@NotBlank @Size(max = 10) String label) {
	}

	@RestController
	static class ValidatedArguments {

		@Idempotent
		@PostMapping("/validated")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody @Valid Payment payment, @RequestParam(defaultValue = "1") int count) {
			return Map.of("label", payment.label(), "count", count);
		}

		@Idempotent
		@PostMapping("/constrained")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> payChecked(@RequestBody @Valid Payment payment,
				@RequestParam(defaultValue = "1") @Max(5) int count) {
			return Map.of("label", payment.label(), "count", count);
		}

	}

	/**
	 * Validated by Spring's interceptor for any bean, which is behind the claim.
	 */
	@RestController
	@Validated
	static class ValidatedBean {

		@Idempotent
		@PostMapping("/intercepted")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody @Valid Payment payment,
				@RequestParam(defaultValue = "1") @Max(5) int count) {
			return Map.of("label", payment.label());
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.BAD_REQUEST)
		String invalid(ConstraintViolationException ex) {
			return "invalid";
		}

	}

	/**
	 * An exception that the controller maps.
	 */
	static class MappedException extends RuntimeException {

		private final int status;

		MappedException(int status) {
			this.status = status;
		}

	}

	@ResponseStatus(code = HttpStatus.NOT_FOUND, reason = "no such thing")
	static class NotFound extends RuntimeException {

	}

	@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
	static class Unavailable extends RuntimeException {

	}

}
