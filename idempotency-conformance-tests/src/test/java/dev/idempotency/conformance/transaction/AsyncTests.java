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
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
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
 * Handlers that answer from another thread, and those that answer bit by bit.
 */
class AsyncTests {

	private static final Gates GATES = new Gates();

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Handlers.class);
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
		GATES.open(key);
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
			GATES.open(key);
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
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/slow-task")
		WebAsyncTask<String> slowTask(@RequestBody Labelled body) {
			return new WebAsyncTask<>(300L, () -> {
				// Does not give up when it is interrupted.
				Parallel.start(() -> {
					GATES.pass(body.label());
					return null;
				}).join();
				this.effects.record(body.label());
				return "late";
			});
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/slow-deferred")
		DeferredResult<String> slowDeferred() {
			return new DeferredResult<>(300L);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/failing-callable")
		Callable<String> failingCallable(@RequestParam int status) {
			return () -> {
				throw new ResponseStatusException(HttpStatus.valueOf(status));
			};
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/failing-future")
		CompletableFuture<String> failingFuture(@RequestParam int status) {
			return CompletableFuture.supplyAsync(() -> {
				throw new ResponseStatusException(HttpStatus.valueOf(status));
			});
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/failing-deferred")
		DeferredResult<String> failingDeferred(@RequestParam int status) {
			DeferredResult<String> result = new DeferredResult<>();
			Parallel.start(() -> result.setErrorResult(new ResponseStatusException(HttpStatus.valueOf(status))));
			return result;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/headers")
		Callable<String> headers(HttpServletResponse response) {
			response.addHeader("X-Before", "1");
			response.addHeader("X-Before", "2");
			return () -> "done";
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/who")
		Callable<String> who() {
			return () -> {
				var authentication = SecurityContextHolder.getContext().getAuthentication();
				return (authentication != null) ? authentication.getName() : "nobody";
			};
		}

		@Idempotent(mode = Mode.LEASED, replay = Replay.NONE)
		@PostMapping("/events")
		SseEmitter events(@RequestBody Labelled body) throws IOException {
			this.effects.record(body.label());
			SseEmitter emitter = new SseEmitter();
			emitter.send("first");
			Parallel.start(() -> {
				GATES.pass(body.label());
				emitter.send("last");
				emitter.complete();
				return null;
			});
			return emitter;
		}

		@Idempotent(mode = Mode.LEASED, replay = Replay.NONE)
		@PostMapping("/stream")
		StreamingResponseBody stream(@RequestBody Labelled body) {
			return (out) -> {
				this.effects.record(body.label());
				// Spring ignores a flush here, so fill the buffer.
				out.write(("first\n" + "\n".repeat(100_000)).getBytes());
				GATES.pass(body.label());
				out.write("last\n".getBytes());
			};
		}

		@PostMapping("/plain-callable")
		Callable<Map<String, String>> plainCallable(@RequestBody Labelled body) {
			return () -> plain(body);
		}

		@PostMapping("/plain-future")
		CompletableFuture<Map<String, String>> plainFuture(@RequestBody Labelled body) {
			return CompletableFuture.supplyAsync(() -> plain(body));
		}

		@PostMapping("/plain-stream")
		StreamingResponseBody plainStream(@RequestBody Labelled body) {
			return (out) -> out.write(plain(body).toString().getBytes());
		}

		@PostMapping("/plain-events")
		SseEmitter plainEvents(@RequestBody Labelled body) throws IOException {
			SseEmitter emitter = new SseEmitter();
			emitter.send(plain(body).toString());
			emitter.complete();
			return emitter;
		}

		private Map<String, String> plain(Labelled body) {
			return Map.of("plain", this.effects.record(body.label()).getLabel());
		}

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
