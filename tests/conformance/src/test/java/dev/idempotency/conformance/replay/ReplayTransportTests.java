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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.GZIPInputStream;

import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RawHttp;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.MARKER;
import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group R: responses of any size, however they travel.
 */
class ReplayTransportTests {

	private static final int LIMIT = 64 * 1024;

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Downloads.class, "idempotency.limits.max-response-body=64KB",
				"server.compression.enabled=true", "server.compression.mime-types=text/plain",
				"server.compression.min-response-size=1KB");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@Tag("R5")
	@ValueSource(ints = { 0, 1, 8191, 8192, 8193, LIMIT - 1, LIMIT })
	void aResponseUpToTheLimitIsReplayedWholeAndWellFramed(int size) {
		for (String kind : new String[] { "bytes", "written", "text-writer" }) {
			String path = path(kind, size);
			RawHttp raw = new RawHttp(application.port());
			RawHttp.Response first = raw.post(ALICE, path, "{}", "Idempotency-Key: " + kind + this.label);
			RawHttp.Response retry = raw.post(ALICE, path, "{}", "Idempotency-Key: " + kind + this.label);
			assertThat(first.body()).isEqualTo(content(size));
			assertThat(retry.body()).isEqualTo(content(size));
			assertFramed(first);
			assertFramed(retry);
			assertThat(retry.values(MARKER)).containsExactly("true");
		}
	}

	@ParameterizedTest
	@Tag("R5")
	@CsvSource({ "true,false", "false,true", "true,true" })
	void compressionIsThatOfThePresentExchange(boolean atFirst, boolean atRetry) throws IOException {
		HttpResponse<byte[]> first = application.send(request(atFirst));
		HttpResponse<byte[]> retry = application.send(request(atRetry));
		assertThat(isCompressed(first)).isEqualTo(atFirst);
		assertThat(isCompressed(retry)).isEqualTo(atRetry);
		assertThat(decoded(first)).isEqualTo(content(20_000));
		assertThat(decoded(retry)).isEqualTo(content(20_000));
		assertThat(retry.headers().allValues(MARKER)).containsExactly("true");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@ParameterizedTest
	@Tag("R8")
	@ValueSource(strings = { "bytes", "written", "text-writer" })
	void overTheLimitTheFirstCallerGetsAllAndARetryTheDocumentedError(String kind) {
		for (int size : new int[] { LIMIT + 1, 3 * LIMIT + 7, 4 * 1024 * 1024 }) {
			String path = path(kind, size);
			String key = size + this.label;
			long effects = application.effects(this.label);
			HttpResponse<byte[]> first = application.post(ALICE, path, key, "{}");
			assertOriginal(first, 200);
			assertThat(first.body()).isEqualTo(content(size));
			assertProblem(application.post(ALICE, path, key, "{}"), 409, "not-replayable");
			assertProblem(application.post(ALICE, path, key, "{\"other\":1}"), 422, "key-reused");
			assertThat(application.effects(this.label)).isEqualTo(effects + 1);
		}
	}

	@Test
	@Tag("R8")
	void whatIsDeclaredNotToBeReplayedRunsOnceAndIsRefusedAfterwards() {
		HttpResponse<byte[]> first = application.post(ALICE, "/none/" + this.label, this.label, "{}");
		assertOriginal(first, 200);
		assertProblem(application.post(ALICE, "/none/" + this.label, this.label, "{}"), 409, "not-replayable");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("R8")
	void aLargeResponseThatIsTakenBackIsStored() {
		String path = path("reset", 3 * LIMIT);
		HttpResponse<byte[]> first = application.post(ALICE, path, this.label, "{}");
		assertThat(first.body()).isEqualTo("short".getBytes(StandardCharsets.UTF_8));
		assertReplay(application.post(ALICE, path, this.label, "{}"), first);
	}

	private String path(String kind, int size) {
		return "/" + kind + "/" + size + "/" + this.label;
	}

	private HttpRequest.Builder request(boolean compressed) {
		HttpRequest.Builder request = application.json(ALICE, path("bytes", 20_000), "{}")
			.header("Idempotency-Key", this.label);
		return compressed ? request.header("Accept-Encoding", "gzip") : request;
	}

	private static boolean isCompressed(HttpResponse<byte[]> response) {
		return response.headers().allValues("Content-Encoding").contains("gzip");
	}

	private static byte[] decoded(HttpResponse<byte[]> response) throws IOException {
		if (!isCompressed(response)) {
			return response.body();
		}
		try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
			return in.readAllBytes();
		}
	}

	private static void assertFramed(RawHttp.Response response) {
		if (response.values("Transfer-Encoding").isEmpty()) {
			assertThat(response.values("Content-Length")).containsExactly(Integer.toString(response.body().length));
		}
		else {
			assertThat(response.values("Transfer-Encoding")).containsExactly("chunked");
			assertThat(response.values("Content-Length")).isEmpty();
		}
	}

	private static byte[] content(int size) {
		byte[] content = new byte[size];
		for (int i = 0; i < size; i++) {
			content[i] = (byte) ('a' + i % 23);
		}
		return content;
	}

	@RestController
	static class Downloads {

		private final Effects effects;

		Downloads(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/bytes/{size}/{label}")
		ResponseEntity<byte[]> bytes(@PathVariable int size, @PathVariable String label) {
			this.effects.record(label);
			return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(content(size));
		}

		@Idempotent
		@PostMapping("/written/{size}/{label}")
		void written(@PathVariable int size, @PathVariable String label, HttpServletResponse response)
				throws IOException {
			this.effects.record(label);
			byte[] content = content(size);
			try (var out = response.getOutputStream()) {
				for (int from = 0; from < size; from += 1000) {
					out.write(Arrays.copyOfRange(content, from, Math.min(size, from + 1000)));
					out.flush();
				}
			}
		}

		@Idempotent
		@PostMapping("/text-writer/{size}/{label}")
		void writer(@PathVariable int size, @PathVariable String label, HttpServletResponse response)
				throws IOException {
			this.effects.record(label);
			try (var out = response.getWriter()) {
				out.print(new String(content(size), StandardCharsets.ISO_8859_1));
			}
		}

		@Idempotent
		@PostMapping("/reset/{size}/{label}")
		void reset(@PathVariable int size, @PathVariable String label, HttpServletResponse response)
				throws IOException {
			this.effects.record(label);
			response.getOutputStream().write(content(size));
			response.resetBuffer();
			response.getOutputStream().print("short");
		}

		@Idempotent(replay = Replay.NONE)
		@PostMapping("/none/{label}")
		String none(@PathVariable String label) {
			return this.effects.record(label).getId().toString();
		}

	}

}
