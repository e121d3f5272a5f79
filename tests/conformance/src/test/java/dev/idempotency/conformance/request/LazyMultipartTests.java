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

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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
 * Multipart bodies that are read when somebody asks for their parts.
 */
@Tag("F13")
class LazyMultipartTests {

	private static final String RELATED = "multipart/related; boundary=x";

	private static final byte[] BODY = "--x\r\nContent-Type: text/plain\r\n\r\nabc\r\n--x--\r\n"
		.getBytes(StandardCharsets.UTF_8);

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Kept.class), "spring.servlet.multipart.resolve-lazily=true",
				"spring.servlet.multipart.max-file-size=10KB");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	/**
	 * The search for its parts has read the body, which would be empty for the handler
	 * and the same in all requests.
	 */
	@Test
	void aBodyWithoutNamedPartsIsRefusedAndNotLost() {
		assertOriginal(send(application, "string", RELATED, BODY), 415);
		assertThat(application.records()).isZero();
	}

	@Test
	void aBodyWithoutNamedPartsIsReadWhereOnlyFormsAreMultipart() {
		try (RunningApplication strict = RunningApplication.start(Kept.class,
				"spring.servlet.multipart.resolve-lazily=true",
				"spring.servlet.multipart.strict-servlet-compliance=true")) {
			HttpResponse<byte[]> first = send(strict, "string", RELATED, BODY);
			assertOriginal(first, 200);
			assertThat(text(first)).contains("abc");
			assertReplay(send(strict, "string", RELATED, BODY), first);
			assertThat(send(strict, "string", RELATED, "--x--".getBytes(StandardCharsets.UTF_8)).statusCode())
				.isEqualTo(422);
		}
	}

	@Test
	void filesAreReadAndReplayed() {
		HttpResponse<byte[]> first = send(new byte[10]);
		assertOriginal(first, 200);
		assertThat(text(first)).startsWith("f.txt ");
		assertReplay(send(new byte[10]), first);
		application.jdbc().update("delete from idempotency_record");
	}

	@Test
	void aFileOverTheLimitIsRefusedAsEver() {
		assertOriginal(send(new byte[10_241]), 413);
	}

	private HttpResponse<byte[]> send(byte[] file) {
		Multipart parts = new Multipart(UUID.randomUUID().toString()).field("a", "1")
			.file("file", "f.txt", "text/plain", file);
		return send(application, "files", parts.contentType(), parts.body());
	}

	private HttpResponse<byte[]> send(RunningApplication application, String reader, String type, byte[] body) {
		return application.send(application.request(ALICE, "/kept/" + reader)
			.header("Content-Type", type)
			.header("Idempotency-Key", this.key)
			.POST(BodyPublishers.ofByteArray(body)));
	}

	@RestController
	@Idempotent
	@RequestMapping("/kept")
	static class Kept extends Readers {

	}

}
