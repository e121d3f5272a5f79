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

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.InvalidIdempotentException;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * AsyncHandlers that answer from another thread, and those that answer bit by bit.
 */
class AsyncTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(AsyncHandlers.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/slow-task", "/slow-deferred" })
	@Tag("O4")
	void aTimeOutIsNotStored(String path) {
		String key = "timeout" + path;
		assertOriginal(application.post(path, key), 503);
		await().until(() -> application.leases() == 0);
		assertOriginal(application.post(path, key), 503);
		AsyncHandlers.GATES.open(key);
		await().until(() -> application.leases() == 0);
		assertThat(application.effects(key)).as("of threads that have timed out").isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/failing-callable", "/failing-future", "/failing-deferred" })
	@Tag("O4")
	void aFailureOfTheHandlersThreadIsStoredIfItIsFinal(String path) {
		String refusal = "402" + path;
		HttpResponse<byte[]> refused = application.post(path + "?status=402", refusal);
		assertOriginal(refused, 402);
		assertReplay(application.post(path + "?status=402", refusal), refused);
		String outage = "500" + path;
		assertOriginal(application.post(path + "?status=500", outage), 500);
		assertOriginal(application.post(path + "?status=500", outage), 500);
		assertThat(application.leases()).isZero();
	}

	@Test
	@Tag("O4")
	void whatTheHandlerHasSetBeforeItWentAsynchronousIsInAnswerAndReplay() {
		HttpResponse<byte[]> first = application.post("/headers", "headers");
		HttpResponse<byte[]> second = application.post("/headers", "headers");
		assertReplay(second, first);
		for (HttpResponse<byte[]> response : List.of(first, second)) {
			assertThat(response.headers().allValues("X-Before")).containsExactly("1", "2");
		}
		assertThat(first.headers().allValues("Set-Cookie")).containsExactly("theme=dark", "theme=light");
	}

	@ParameterizedTest
	@ValueSource(ints = { 402, 500 })
	@Tag("O4")
	void whatTheHandlerHasSetIsInTheAnswerToItsFailureToo(int status) {
		String key = "failing-headers" + status;
		for (int i = 0; i < 2; i++) {
			HttpResponse<byte[]> response = application.post("/failing-callable?status=" + status, key);
			assertThat(response.statusCode()).isEqualTo(status);
			assertThat(response.headers().allValues("Retry-After")).containsExactly("7");
		}
	}

	@Test
	@Tag("O4")
	void theSecurityContextGoesAlong() {
		assertThat(text(application.post("/who", "who"))).isEqualTo(ALICE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/events", "/stream" })
	@Tag("R9")
	void aStreamReachesItsFirstClientWhileItIsMadeAndIsNotReplayed(String path) throws Exception {
		String key = "stream" + path;
		HttpResponse<InputStream> first = HttpClient.newHttpClient()
			.send(application.json(ALICE, path, Labelled.json(key)).header("Idempotency-Key", key).build(),
					BodyHandlers.ofInputStream());
		assertThat(first.statusCode()).isEqualTo(200);
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(first.body()))) {
			assertThat(lines.readLine()).endsWith("first");
			assertProblem(application.post(path, key), 409, "in-progress");
			AsyncHandlers.GATES.open(key);
			assertThat(lines.lines()).anyMatch((line) -> line.endsWith("last"));
		}
		await().until(() -> application.leases() == 0);
		assertProblem(application.post(path, key), 409, "not-replayable");
		assertThat(application.effects(key)).isEqualTo(1);
	}

	@Test
	void aStreamThatWouldHaveToBeReplayedIsRejectedAtStartUp() {
		assertThatThrownBy(() -> RunningApplication.start(ReplayedStream.class))
			.hasStackTraceContaining(InvalidIdempotentException.class.getName())
			.hasStackTraceContaining("StreamingResponseBody");
	}

	@Test
	@Tag("X1")
	void aStreamThatFailsAfterItsBeginningFreesItsKey() {
		for (int i = 1; i <= 2; i++) {
			assertThatThrownBy(() -> application.post("/broken-stream", "broken"))
				.isInstanceOf(UncheckedIOException.class);
			await().until(() -> application.leases() == 0);
			assertThat(application.effects("broken")).isEqualTo(i);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/plain-callable", "/plain-future", "/plain-stream", "/plain-events" })
	@Tag("K17")
	void anEndpointThatIsNotAnnotatedIsNotTouched(String path) {
		long before = application.records();
		String key = "plain" + path;
		HttpResponse<byte[]> first = application.post(path, key);
		HttpResponse<byte[]> second = application.post(path, key);
		for (HttpResponse<byte[]> response : List.of(first, second)) {
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(text(response)).contains("plain");
			assertThat(isReplay(response)).isFalse();
		}
		assertThat(application.effects(key)).isEqualTo(2);
		assertThat(application.records()).isEqualTo(before);
	}

	@RestController
	static class ReplayedStream {

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/stream")
		StreamingResponseBody stream() {
			return (out) -> Stream.of("a", "b").forEach((part) -> {
			});
		}

	}

}
