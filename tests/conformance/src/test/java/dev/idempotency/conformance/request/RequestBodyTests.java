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

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Multipart;
import dev.idempotency.conformance.app.Readers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group F: whatever way a handler reads its request, it reads what it would read without
 * the library.
 */
@Tag("F13")
@ExtendWith(OutputCaptureExtension.class)
class RequestBodyTests {

	private static final String JSON = "application/json";

	private static final String FORM = "application/x-www-form-urlencoded";

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(PlainReaders.class, ProtectedReaders.class),
				"idempotency.limits.max-response-body=4MB");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static Stream<Arguments> requests() {
		Multipart parts = new Multipart("abc").field("a", "gr\u00FCn")
			.file("file", "f.txt", "text/plain", "content".getBytes(StandardCharsets.UTF_8));
		String form = "a=1&b=x+y&b=%C3%BC&c=&d&e=%26%3D";
		Stream<Arguments> json = Stream
			.of("json", "string", "entity", "stream", "reader", "servlet-stream", "injected-stream", "injected-reader")
			.map((reader) -> Arguments.of(reader, JSON, "{\"a\":\"gr\u00FCn\"}".getBytes(StandardCharsets.UTF_8)));
		Stream<Arguments> forms = Stream
			.of("string", "entity", "stream", "reader", "parameters", "injected-parameters", "bound-parameters",
					"request-param", "model-attribute", "form-body", "parameters-then-stream")
			.map((reader) -> Arguments.of(reader, FORM, form.getBytes(StandardCharsets.UTF_8)));
		Stream<Arguments> multipart = Stream
			.of("parts", "files", "parameters", "injected-parameters", "request-param", "model-attribute")
			.map((reader) -> Arguments.of(reader, parts.contentType(), parts.body()));
		Stream<Arguments> other = Stream.of(Arguments.of("string", "text/plain;charset=ISO-8859-1", new byte[] { -4 }),
				Arguments.of("reader", "text/plain;charset=ISO-8859-1", "\u00FC".getBytes(StandardCharsets.UTF_8)),
				Arguments.of("stream", "application/octet-stream", new byte[] { 0, -1, 13, 10 }),
				Arguments.of("string", JSON, new byte[0]), Arguments.of("stream", FORM, new byte[0]),
				Arguments.of("parameters", FORM, new byte[0]), Arguments.of("reader", FORM, new byte[0]),
				Arguments.of("reader", FORM, "&&".getBytes(StandardCharsets.UTF_8)),
				Arguments.of("parameters", FORM, "=v&=w&%3D".getBytes(StandardCharsets.UTF_8)),
				Arguments.of("json", JSON, "{".getBytes(StandardCharsets.UTF_8)));
		return Stream.of(json, forms, multipart, other).flatMap((arguments) -> arguments);
	}

	@ParameterizedTest
	@MethodSource("requests")
	void theHandlerReadsWhatItReadsWithoutTheLibrary(String reader, String type, byte[] body) {
		assertSameAsUnprotected(reader, type, body);
	}

	@ParameterizedTest
	@MethodSource("requests")
	void chunksMakeNoDifference(String reader, String type, byte[] body) {
		HttpResponse<byte[]> whole = send("/plain/" + reader, type, body);
		HttpResponse<byte[]> chunked = application.send(
				request("/kept/" + reader, type).POST(BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(body))));
		assertThat(textAlike(chunked)).isEqualTo(textAlike(whole));
		assertThat(chunked.statusCode()).isEqualTo(whole.statusCode());
	}

	@ParameterizedTest
	@ValueSource(strings = { "parameters", "injected-parameters", "request-param", "form-body", "stream", "reader" })
	void parametersOfTheQueryComeBeforeThoseOfTheForm(String reader) {
		assertSameAsUnprotected(reader + "?a=query&b=q1&b=q2&z=%C3%BC", FORM,
				"a=form&b=f1".getBytes(StandardCharsets.UTF_8));
	}

	@ParameterizedTest
	@CsvSource({ "a=%zz, parameters", "a=%zz, request-param", "a=%zz, stream", "a=%C3, parameters",
			"a=%C3, request-param", "a=%C3, stream", "a=%FC, stream" })
	void aFormThatCannotBeDecodedIsRefusedOnlyIfItsParametersAreRead(String form, String reader) {
		assertSameAsUnprotected(reader, FORM, form.getBytes(StandardCharsets.UTF_8));
		assertThat(send("/kept/" + reader, FORM, form.getBytes(StandardCharsets.UTF_8)).statusCode())
			.isEqualTo(reader.endsWith("stream") ? 200 : 400);
	}

	/**
	 * The container parses a form once, and has no bytes of it then. A parameter of the
	 * handler shows in time that the bytes are needed.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "servlet-stream", "injected-stream", "injected-reader" })
	void aHandlerThatAsksForTheBytesOfAFormTooLateIsRefused(String reader, CapturedOutput output) {
		assertOriginal(send("/kept/" + reader, FORM, "a=1&b=2".getBytes(StandardCharsets.UTF_8)), 500);
		assertThat(output).contains("IDEM-1311", "reads the body of a form",
				"Take the body as a parameter of the handler, of type InputStream or Reader");
	}

	@Test
	void aBodyJustUnderTheLimitIsRead() {
		byte[] body = "x".repeat(1024 * 1024).getBytes(StandardCharsets.UTF_8);
		assertSameAsUnprotected("string", "text/plain", body);
	}

	private void assertSameAsUnprotected(String reader, String type, byte[] body) {
		HttpResponse<byte[]> unprotected = send("/plain/" + reader, type, body);
		HttpResponse<byte[]> first = send("/kept/" + reader, type, body);
		assertThat(textAlike(first)).isEqualTo(textAlike(unprotected));
		assertThat(first.statusCode()).isEqualTo(unprotected.statusCode());
		if (first.statusCode() == 200) {
			assertReplay(send("/kept/" + reader, type, body), first);
		}
	}

	private static String textAlike(HttpResponse<byte[]> response) {
		return text(response).replace("/kept/", "/plain/").replaceAll("\"timestamp\":\"[^\"]*\"", "");
	}

	private HttpResponse<byte[]> send(String path, String type, byte[] body) {
		return application.send(request(path, type).POST(BodyPublishers.ofByteArray(body)));
	}

	private HttpRequest.Builder request(String path, String type) {
		return application.request(ALICE, path).header("Content-Type", type).header("Idempotency-Key", this.key);
	}

	@RestController
	@RequestMapping("/plain")
	static class PlainReaders extends Readers {

	}

	@RestController
	@Idempotent
	@RequestMapping("/kept")
	static class ProtectedReaders extends Readers {

	}

}
