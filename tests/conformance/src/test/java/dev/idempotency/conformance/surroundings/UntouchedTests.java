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

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group K: requests on which a key has no effect at all.
 */
@Tag("K17")
class UntouchedTests {

	private static final Map<String, CountDownLatch> receivers = new ConcurrentHashMap<>();

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Endpoints.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "HEAD", "OPTIONS" })
	void aKeyOnASafeMethodOfAnAnnotatedHandlerHasNoEffect(String method) {
		for (String key : new String[] { this.label, this.label, "\"malformed" }) {
			assertOriginal(send(method, "/mixed/" + this.label, key), 200);
		}
		assertThat(application.effects(this.label)).isEqualTo(method.equals("OPTIONS") ? 0 : 3);
		assertThat(application.records()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "HEAD" })
	void aSafeMethodOfAnAnnotatedClassNeedsNoKey(String method) {
		var request = application.request(ALICE, "/mixed/" + this.label).method(method, BodyPublishers.noBody());
		assertOriginal(application.send(request), 200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "value", "callable", "deferred", "future", "sse", "stream" })
	void aKeyOnAnUnannotatedHandlerHasNoEffect(String kind) {
		for (String key : new String[] { this.label, this.label, "\"malformed" }) {
			HttpResponse<byte[]> response = send("POST", "/plain/" + kind + "/" + this.label, key);
			assertOriginal(response, 200);
			assertThat(text(response)).contains("answer to " + this.label);
		}
		assertThat(application.effects(this.label)).isEqualTo(3);
		assertThat(application.records()).isZero();
	}

	@Test
	void anUnannotatedStreamIsSentWhileItIsBeingWritten() throws Exception {
		CountDownLatch latch = new CountDownLatch(1);
		receivers.put(this.label, latch);
		HttpResponse<InputStream> response = HttpClient.newHttpClient()
			.send(application.request(ALICE, "/plain/awaiting/" + this.label)
				.header("Idempotency-Key", this.label)
				.POST(BodyPublishers.noBody())
				.build(), BodyHandlers.ofInputStream());
		try (InputStream body = response.body()) {
			assertThat(new String(body.readNBytes(5), StandardCharsets.UTF_8)).isEqualTo("first");
			latch.countDown();
			assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).endsWith("received");
		}
	}

	private static HttpResponse<byte[]> send(String method, String path, String key) {
		return application.send(application.request(ALICE, path)
			.header("Idempotency-Key", key)
			.method(method, BodyPublishers.noBody()));
	}

	@RestController
	static class Endpoints {

		private final Effects effects;

		Endpoints(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@RequestMapping(path = "/mixed/{label}", method = { RequestMethod.GET, RequestMethod.POST })
		String mixed(@PathVariable String label) {
			return answer(label);
		}

		@PostMapping("/plain/value/{label}")
		String value(@PathVariable String label) {
			return answer(label);
		}

		@PostMapping("/plain/callable/{label}")
		Callable<String> callable(@PathVariable String label) {
			return () -> answer(label);
		}

		@PostMapping("/plain/deferred/{label}")
		DeferredResult<String> deferred(@PathVariable String label) {
			DeferredResult<String> result = new DeferredResult<>();
			CompletableFuture.runAsync(() -> result.setResult(answer(label)));
			return result;
		}

		@PostMapping("/plain/future/{label}")
		CompletableFuture<String> future(@PathVariable String label) {
			return CompletableFuture.supplyAsync(() -> answer(label));
		}

		@PostMapping("/plain/sse/{label}")
		SseEmitter sse(@PathVariable String label) {
			SseEmitter emitter = new SseEmitter();
			CompletableFuture.runAsync(() -> {
				try {
					emitter.send(answer(label));
					emitter.complete();
				}
				catch (IOException ex) {
					emitter.completeWithError(ex);
				}
			});
			return emitter;
		}

		@PostMapping("/plain/stream/{label}")
		StreamingResponseBody stream(@PathVariable String label) {
			return (out) -> out.write(answer(label).getBytes(StandardCharsets.UTF_8));
		}

		@PostMapping("/plain/awaiting/{label}")
		StreamingResponseBody awaiting(@PathVariable String label) {
			return (out) -> {
				out.write("first".repeat(20_000).getBytes(StandardCharsets.UTF_8));
				boolean opened = await(receivers.get(label));
				out.write((opened ? "received" : "late").getBytes(StandardCharsets.UTF_8));
			};
		}

		private String answer(String label) {
			this.effects.record(label);
			return "answer to " + label;
		}

		private static boolean await(CountDownLatch latch) {
			try {
				return latch.await(30, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}

	}

}
