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

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.conformance.app.Multipart;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group F: forms and multipart bodies.
 */
class FormTests {

	private static final String FORM = "application/x-www-form-urlencoded";

	private static final int LARGE = 64 * 1024 * 1024;

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	private final String path = "/orders/" + this.label;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(FormOrders.class, Allocations.class),
				"spring.servlet.multipart.max-file-size=-1", "spring.servlet.multipart.max-request-size=-1");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("F14")
	void theOrderOfFieldsDoesNotCountAndThatOfTheValuesOfOneDoes() {
		HttpResponse<byte[]> first = send(FORM, "a=1&b=x&b=y&c=%C3%BC");
		assertOriginal(first, 200);
		assertReplay(send(FORM, "b=x&c=%c3%bc&a=1&b=y"), first);
		for (String other : List.of("a=1&b=y&b=x&c=%C3%BC", "a=2&b=x&b=y&c=%C3%BC", "a=1&b=x&b=y",
				"a=1&b=x&b=y&c=%C3%BC&d=", "a=1&b=xy&c=%C3%BC", "")) {
			assertProblem(send(FORM, other), 422, "key-reused");
		}
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("F14")
	void aFieldIsNoParameterOfTheQuery() {
		assertOriginal(send(FORM, "a=1&b=2"), 200);
		HttpRequest.Builder moved = application.request(ALICE, this.path + "?a=1")
			.header("Content-Type", FORM)
			.header("Idempotency-Key", this.label)
			.POST(BodyPublishers.ofString("b=2"));
		assertProblem(application.send(moved), 422, "key-reused");
	}

	@Test
	@Tag("F14")
	void theKeyMayBeAHiddenFieldOfTheForm() {
		String form = "item=book&_idempotency_key=" + this.label;
		HttpResponse<byte[]> first = application.send(form(form));
		assertOriginal(first, 200);
		assertReplay(application.send(form(form)), first);
		assertProblem(application.send(form("item=pen&_idempotency_key=" + this.label)), 422, "key-reused");
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@ParameterizedTest
	@Tag("F14")
	@ValueSource(
			strings = { "&_idempotency_key=", "&_idempotency_key=a&_idempotency_key=b", "&_idempotency_key=%22open" })
	void aHiddenFieldThatHoldsNoKeyIsRefused(String field) {
		HttpResponse<byte[]> malformed = application.send(form("item=book" + field));
		assertProblem(malformed, 400, "malformed-key");
		assertThat(text(malformed)).contains("The form field _idempotency_key ").doesNotContain("header");
		HttpResponse<byte[]> missing = application.send(form("item=book"));
		assertProblem(missing, 400, "missing-key");
		assertThat(text(missing)).contains("form field _idempotency_key");
		assertThat(application.effects(this.label)).isZero();
	}

	@Test
	@Tag("F15")
	void aNewBoundaryDoesNotCountAndEveryByteAndNameDoes() {
		HttpResponse<byte[]> first = send(parts("one", "f.txt", "text/plain", "content", "1"));
		assertOriginal(first, 200);
		assertReplay(send(parts("----two", "f.txt", "text/plain", "content", "1")), first);
		for (Multipart other : List.of(parts("one", "f.txt", "text/plain", "Content", "1"),
				parts("one", "g.txt", "text/plain", "content", "1"), parts("one", "f.txt", "text/html", "content", "1"),
				parts("one", "f.txt", "text/plain", "content", "2"),
				parts("one", "f.txt", "text/plain", "content", "1").field("more", ""),
				new Multipart("one").field("file", "content").field("a", "1"))) {
			assertProblem(send(other), 422, "key-reused");
		}
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("F15")
	void aMultipartFormMayHoldItsKey() {
		Multipart parts = parts("one", "f.txt", "text/plain", "content", "1").field("_idempotency_key", this.label);
		HttpResponse<byte[]> first = application.send(multipart(parts));
		assertOriginal(first, 200);
		assertReplay(application.send(multipart(parts)), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	@Tag("F15")
	void aLargePartIsHashedWithoutBeingHeldInMemory() {
		HttpResponse<byte[]> first = sendLarge('a');
		assertOriginal(first, 200);
		assertReplay(sendLarge('a'), first);
		assertProblem(sendLarge('b'), 422, "key-reused");
		assertThat(Long.parseLong(new String(first.body(), StandardCharsets.UTF_8))).isLessThan(LARGE / 4);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private HttpResponse<byte[]> sendLarge(char last) {
		return application.send(application.request(ALICE, "/allocated/" + this.label)
			.header("Content-Type", "multipart/form-data; boundary=large")
			.header("Idempotency-Key", this.label)
			.POST(BodyPublishers.ofInputStream(() -> large(last))));
	}

	private static InputStream large(char last) {
		String head = "--large\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n";
		return new SequenceInputStream(new SequenceInputStream(stream(head), new Zeros(LARGE)),
				stream(last + "\r\n--large--\r\n"));
	}

	private static InputStream stream(String text) {
		return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
	}

	private Multipart parts(String boundary, String fileName, String type, String content, String field) {
		return new Multipart(boundary).field("a", field)
			.file("file", fileName, type, content.getBytes(StandardCharsets.UTF_8));
	}

	private HttpResponse<byte[]> send(Multipart parts) {
		return application.send(multipart(parts).header("Idempotency-Key", this.label));
	}

	private HttpRequest.Builder multipart(Multipart parts) {
		return application.request(ALICE, this.path)
			.header("Content-Type", parts.contentType())
			.POST(BodyPublishers.ofByteArray(parts.body()));
	}

	private HttpResponse<byte[]> send(String type, String body) {
		return application.send(application.request(ALICE, this.path)
			.header("Content-Type", type)
			.header("Idempotency-Key", this.label)
			.POST(BodyPublishers.ofString(body)));
	}

	private HttpRequest.Builder form(String body) {
		return application.request(ALICE, this.path).header("Content-Type", FORM).POST(BodyPublishers.ofString(body));
	}

	/**
	 * A stream of nothing.
	 */
	private static final class Zeros extends InputStream {

		private int remaining;

		Zeros(int size) {
			this.remaining = size;
		}

		@Override
		public int read() {
			return (this.remaining-- > 0) ? 0 : -1;
		}

		@Override
		public int read(byte[] target, int offset, int length) {
			int read = Math.min(this.remaining, length);
			this.remaining -= read;
			return (read > 0) ? read : -1;
		}

	}

}
