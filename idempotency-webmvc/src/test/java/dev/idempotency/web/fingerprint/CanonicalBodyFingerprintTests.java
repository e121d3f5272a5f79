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

package dev.idempotency.web.fingerprint;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ByteArrayResource;

import dev.idempotency.web.fingerprint.FingerprintSource.Body;
import dev.idempotency.web.fingerprint.FingerprintSource.Bytes;
import dev.idempotency.web.fingerprint.FingerprintSource.Multipart;
import dev.idempotency.web.fingerprint.FingerprintSource.Part;

import static dev.idempotency.web.fingerprint.Fingerprints.assertDifferent;
import static dev.idempotency.web.fingerprint.Fingerprints.assertSame;
import static dev.idempotency.web.fingerprint.Fingerprints.of;
import static dev.idempotency.web.fingerprint.TestFingerprintSource.json;
import static dev.idempotency.web.fingerprint.TestFingerprintSource.post;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for bodies in {@link CanonicalFingerprint}, JSON aside.
 */
class CanonicalBodyFingerprintTests {

	private static final String FORM = "application/x-www-form-urlencoded";

	@Test
	void canonicalFormIsTheOneOfStoredRecords() {
		// A change here makes every retry over a deployment a 422: raise the version
		assertThat(of(json("{\"b\":[1.50,true,null],\"a\":\"x\"}").withQuery("b=2&a=1")))
			.isEqualTo("02a14c4b56d2d07cfd35d4488d73888fec97ad9cc96ad7a576741ad28e07967955");
	}

	@Test
	@Tag("F12")
	void emptyBodyIsOfItsOwnKind() {
		assertSame(json(""), json(""));
		assertDifferent(json(""), json("{}"));
		assertDifferent(json(""), json("null"));
		assertDifferent(json(""), json(" "));
		assertDifferent(json(""), json(new byte[1]));
	}

	@Test
	void otherBodiesCountByTheirBytes() {
		assertSame(post("text/plain", bytes("a")), post("text/plain", bytes("a")));
		assertDifferent(post("text/plain", bytes("{\"a\":1}")), post("text/plain", bytes("{ \"a\":1}")));
		assertDifferent(post(null, bytes("{\"a\":1}")), post(null, bytes("{ \"a\":1}")));
	}

	@Test
	@Tag("F14")
	void orderOfFormFieldsDoesNotMatterAndOrderOfValuesDoes() {
		Map<String, List<String>> other = new LinkedHashMap<>();
		other.put("b", List.of("3"));
		other.put("a", List.of("1", "2"));
		Map<String, List<String>> fields = new LinkedHashMap<>();
		fields.put("a", List.of("1", "2"));
		fields.put("b", List.of("3"));
		assertSame(form(fields), form(other));
		fields.put("a", List.of("2", "1"));
		assertDifferent(form(fields), form(other));
	}

	@Test
	@Tag("F9")
	void credentialsDoNotCount() {
		assertSame(form(Map.of("a", List.of("1"), "_csrf", List.of("x"))),
				form(Map.of("a", List.of("1"), "_csrf", List.of("y"))));
		assertSame(multipart(part("a", null, null, "1"), part("_csrf", null, null, "x")),
				multipart(part("a", null, null, "1"), part("_csrf", null, null, "y")));
		assertSame(json("{}").withQuery("a=1&_csrf=x"), json("{}").withQuery("_csrf=y&a=1"));
		assertSame(form(Map.of("access_token", List.of("x"))), form(Map.of("access_token", List.of("y"))));
		assertSame(json("{}").withQuery("access_token=x&a=1"), json("{}").withQuery("a=1&access_token=y"));
		assertDifferent(multipart(part("csrf", "f", null, "x")), multipart(part("csrf", "f", null, "y")));
	}

	@Test
	@Tag("F15")
	void boundaryDoesNotCount() {
		Multipart body = new Multipart(List.of(part("a", null, null, "1")));
		String expected = of(post("multipart/form-data; boundary=x", body));
		for (String boundary : List.of("y", "\"a b\"", "--==/x:y?=", "----WebKitFormBoundary7MA4YWxkTrZu0gW")) {
			assertThat(of(post("multipart/form-data;Boundary=" + boundary, body))).isEqualTo(expected);
		}
		assertDifferent(post("multipart/form-data; boundary=x", body), post("multipart/mixed; boundary=x", body));
	}

	@Test
	@Tag("F15")
	void everyPropertyOfPartCounts() {
		Set<String> different = new HashSet<>();
		for (Part part : List.of(part("a", null, null, "1"), part("b", null, null, "1"), part("a", "", null, "1"),
				part("a", "f", null, "1"), part("a", null, "text/plain", "1"), part("a", null, "", "1"),
				part("a", null, null, "2"), part("a", null, null, ""))) {
			different.add(of(post("multipart/form-data", new Multipart(List.of(part)))));
		}
		assertThat(different).hasSize(8);
	}

	@Test
	@Tag("F15")
	void mediaTypeOfPartIsTheSameInAnySpelling() {
		assertSame(multipart(part("a", null, "text/plain; charset=utf8", "1")),
				multipart(part("a", null, "text/plain;charset=\"UTF-8\"", "1")));
	}

	@Test
	@Tag("F15")
	void orderOfPartsMattersWithinOneNameOnly() {
		Part a1 = part("a", null, null, "1");
		Part a2 = part("a", null, null, "2");
		Part b = part("b", null, null, "3");
		assertSame(multipart(a1, a2, b), multipart(a1, b, a2));
		assertDifferent(multipart(a1, a2, b), multipart(a2, a1, b));
	}

	@Test
	@Tag("F15")
	void largePartIsStreamedAndClosed() {
		ZeroStream content = new ZeroStream(64L * 1024 * 1024);
		Part part = new Part("a", "f", null, () -> content, content.remaining);
		of(multipart(part));
		assertThat(content.remaining).isZero();
		assertThat(content.largestRead).isLessThanOrEqualTo(64 * 1024);
		assertThat(content.closed).isTrue();
	}

	@Test
	void bodiesOfDifferentKindsNeverCollide() {
		Set<String> different = new HashSet<>();
		List<Body> bodies = List.of(bytes(""), bytes("{}"), bytes("{"), bytes("[]"), new Multipart(List.of()),
				multipart(part("", null, null, "")).body());
		for (Body body : bodies) {
			different.add(of(post("application/json", body)));
		}
		assertThat(different).hasSize(bodies.size());
	}

	@Test
	void textIsNotMistakenWhereItIsSplitDifferently() {
		assertDifferent(json("{}").withMethod("POST").withPath("/a"), json("{}").withMethod("POS").withPath("T/a"));
		assertDifferent(form(Map.of("a", List.of("b", "c"))), form(Map.of("a", List.of("bc"))));
		assertDifferent(form(Map.of("a", List.of("\uD800"))), form(Map.of("a", List.of("?"))));
	}

	private static Bytes bytes(String text) {
		return new Bytes(text.getBytes(StandardCharsets.UTF_8));
	}

	private static TestFingerprintSource form(Map<String, List<String>> fields) {
		return post(FORM, bytes("")).withParameters(fields);
	}

	private static TestFingerprintSource multipart(Part... parts) {
		return post("multipart/form-data", new Multipart(Arrays.asList(parts)));
	}

	private static Part part(String name, @Nullable String fileName, @Nullable String contentType, String content) {
		byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
		return new Part(name, fileName, contentType, new ByteArrayResource(bytes), bytes.length);
	}

	private static final class ZeroStream extends InputStream {

		private long remaining;

		private int largestRead;

		private boolean closed;

		ZeroStream(long size) {
			this.remaining = size;
		}

		@Override
		public int read() {
			return (this.remaining-- > 0) ? 0 : -1;
		}

		@Override
		public int read(byte[] target, int offset, int length) {
			this.largestRead = Math.max(this.largestRead, length);
			if (this.remaining == 0) {
				return -1;
			}
			int read = (int) Math.min(length, this.remaining);
			this.remaining -= read;
			return read;
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
