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
package dev.idempotency.conformance.request;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group F: bodies that a client compresses, anew for each attempt.
 */
@Tag("F3")
class CompressedBodyTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Uploads.class, Unpacking.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aBodyThatIsCompressedAnewIsTheSameBody() {
		String json = "{\"amount\":1,\"memo\":\"" + "long ".repeat(500) + "\"}";
		byte[] compressed = gzip(json.getBytes(StandardCharsets.UTF_8), Deflater.BEST_COMPRESSION);
		byte[] anew = gzip(json.getBytes(StandardCharsets.UTF_8), Deflater.NO_COMPRESSION);
		// The time at which it was compressed
		anew[4] = 17;
		assertThat(anew).isNotEqualTo(compressed);
		HttpResponse<byte[]> first = send(compressed, "gzip");
		assertOriginal(first, 200);
		assertReplay(send(anew, "GZIP"), first);
		byte[] other = gzip(json.replace("1", "2").getBytes(StandardCharsets.UTF_8), Deflater.BEST_COMPRESSION);
		assertProblem(send(other, "gzip"), 422, "key-reused");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	void theHandlerGetsTheBodyAsItArrived() {
		byte[] compressed = gzip(new byte[1000], Deflater.BEST_SPEED);
		assertThat(new String(send(compressed, "gzip").body(), StandardCharsets.UTF_8))
			.isEqualTo(Integer.toString(compressed.length));
	}

	@Test
	void aBodyThatUnpacksToMoreThanTheLimitCountsByItsBytes() {
		byte[] bomb = gzip(new byte[64 * 1024 * 1024], Deflater.BEST_COMPRESSION);
		HttpResponse<byte[]> first = send(bomb, "gzip");
		assertOriginal(first, 200);
		assertReplay(send(bomb, "gzip"), first);
		bomb[4] = 17;
		assertProblem(send(bomb, "gzip"), 422, "key-reused");
	}

	@Test
	@Tag("F21")
	void bytesBehindTheCompressedOnesCount() {
		byte[] compressed = gzip("{\"amount\":1}".getBytes(StandardCharsets.UTF_8), Deflater.BEST_SPEED);
		HttpResponse<byte[]> first = send(compressed, "gzip");
		assertOriginal(first, 200);
		for (byte[] other : List.of(Arrays.copyOf(compressed, compressed.length + 1), append(compressed, "999"),
				append(compressed, "a text that is longer than the head of another compressed body"))) {
			assertProblem(send(other, "gzip"), 422, "key-reused");
		}
		assertReplay(send(compressed, "gzip"), first);
		byte[] more = append(compressed, "1");
		HttpResponse<byte[]> other = send(more, "gzip", "/uploads/" + this.label, "text/plain", "more");
		assertOriginal(other, 200);
		assertProblem(send(append(compressed, "2"), "gzip", "/uploads/" + this.label, "text/plain", "more"), 422,
				"key-reused");
	}

	private static byte[] append(byte[] start, String end) {
		byte[] bytes = end.getBytes(StandardCharsets.UTF_8);
		byte[] all = Arrays.copyOf(start, start.length + bytes.length);
		System.arraycopy(bytes, 0, all, start.length, bytes.length);
		return all;
	}

	@Test
	void whatIsNotCompressedAlthoughItSaysSoCountsByItsBytes() {
		HttpResponse<byte[]> first = send(new byte[] { 1, 2, 3 }, "gzip");
		assertOriginal(first, 200);
		assertReplay(send(new byte[] { 1, 2, 3 }, "gzip"), first);
		assertProblem(send(new byte[] { 1, 2, 4 }, "gzip"), 422, "key-reused");
	}

	/**
	 * A filter that replaces the stream, and leaves the length of what has arrived.
	 */
	@Test
	void aBodyThatAFilterUnpacksIsReadToItsEnd() {
		String json = "{\"amount\":1,\"memo\":\"" + "long ".repeat(500) + "\"}";
		HttpResponse<byte[]> first = unpacked(json, Deflater.BEST_COMPRESSION);
		assertOriginal(first, 200);
		assertThat(new String(first.body(), StandardCharsets.UTF_8)).isEqualTo(Integer.toString(json.length()));
		assertReplay(unpacked(json, Deflater.BEST_SPEED), first);
		assertProblem(unpacked(json.replace("long \"", "lonG \""), Deflater.BEST_COMPRESSION), 422, "key-reused");
	}

	@Test
	@Tag("Y3")
	void aBodyThatAFilterUnpacksToMoreThanTheLimitIsRefused() {
		assertThat(unpacked("\"" + "0".repeat(1024 * 1024 - 2) + "\"", Deflater.BEST_COMPRESSION).statusCode())
			.isEqualTo(200);
		assertProblem(unpacked("\"" + "0".repeat(1024 * 1024 - 1) + "\"", Deflater.BEST_COMPRESSION), 413,
				"request-too-large");
	}

	private HttpResponse<byte[]> unpacked(String json, int level) {
		return send(gzip(json.getBytes(StandardCharsets.UTF_8), level), "gzip", "/unpacked/", "application/json");
	}

	private HttpResponse<byte[]> send(byte[] body, String encoding) {
		return send(body, encoding, "/uploads/", "application/octet-stream");
	}

	private HttpResponse<byte[]> send(byte[] body, String encoding, String path, String type) {
		return send(body, encoding, path + this.label, type, "");
	}

	private HttpResponse<byte[]> send(byte[] body, String encoding, String path, String type, String key) {
		return application.send(application.request(ALICE, path)
			.header("Content-Type", type)
			.header("Content-Encoding", encoding)
			.header("Idempotency-Key", this.label + key)
			.POST(BodyPublishers.ofByteArray(body)));
	}

	private static byte[] gzip(byte[] content, int level) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream out = new GZIPOutputStream(bytes) {
			{
				this.def.setLevel(level);
			}
		}) {
			out.write(content);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	@RestController
	static class Uploads {

		private final Effects effects;

		Uploads(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/uploads/{label}")
		String upload(@PathVariable String label, @RequestBody byte[] body) {
			this.effects.record(label);
			return Integer.toString(body.length);
		}

		@Idempotent
		@PostMapping("/unpacked/{label}")
		String unpack(@PathVariable String label, HttpServletRequest request) throws IOException {
			this.effects.record(label);
			return Integer.toString(request.getInputStream().readAllBytes().length);
		}

	}

	/**
	 * A filter as applications write it.
	 */
	static class Unpacking extends OncePerRequestFilter {

		@Override
		protected boolean shouldNotFilter(HttpServletRequest request) {
			return !request.getRequestURI().startsWith("/unpacked/");
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			ServletInputStream unpacked = new DelegatingServletInputStream(
					new GZIPInputStream(request.getInputStream()));
			chain.doFilter(new HttpServletRequestWrapper(request) {

				@Override
				public ServletInputStream getInputStream() {
					return unpacked;
				}

			}, response);
		}

	}

}
