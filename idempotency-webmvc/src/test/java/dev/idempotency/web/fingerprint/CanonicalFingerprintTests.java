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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.web.fingerprint.FingerprintSource.Bytes;
import dev.idempotency.web.fingerprint.FingerprintSource.Multipart;
import dev.idempotency.web.fingerprint.FingerprintSource.Part;

import static dev.idempotency.web.fingerprint.Fingerprints.assertDifferent;
import static dev.idempotency.web.fingerprint.Fingerprints.assertSame;
import static dev.idempotency.web.fingerprint.TestFingerprintSource.json;
import static dev.idempotency.web.fingerprint.TestFingerprintSource.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link CanonicalFingerprint}, the body aside.
 */
class CanonicalFingerprintTests {

	private final CanonicalFingerprint fingerprint = new CanonicalFingerprint(List.of(), List.of());

	@Test
	void resultIsVersionAndSha256() throws IOException {
		assertThat(this.fingerprint.fingerprint(json("{}"))).hasSize(33).startsWith(2);
	}

	/**
	 * Calculated by the first version that stored them: nodes of two versions share a
	 * table, and records outlive a release.
	 */
	@Test
	void whatIsStoredKeepsItsBytes() {
		CanonicalFingerprint configured = new CanonicalFingerprint(List.of("X-Version", "Accept-Language"),
				List.of("/at", "/lines/0/id"));
		String document = "\uFEFF{\"lines\":[{\"id\":1,\"n\":-1.50e3},{\"id\":2}],\"at\":\"now\",\"e\":{},"
				+ "\"t\":[true,false,null,0,12e400,\"\\ud800\u00e9\"]}";
		Multipart multipart = new Multipart(List.of(
				new Part("b", "b.txt", "text/plain;charset=latin1",
						() -> new ByteArrayInputStream("file".getBytes(StandardCharsets.UTF_8)), 4),
				new Part("a", null, null, () -> new ByteArrayInputStream(new byte[9000]), 9000)));
		List<TestFingerprintSource> sources = List.of(
				json("{\"owner\":\"alice\",\"amount\":100.50}").withPath("/a%2fb/%61;v=1"),
				json(document).withQuery("b=%41+&a&b=%zz&a=\u00e9&=&_csrf=x"), json("{\"a\":"),
				json("{\"a\":1}").withContentType("application/vnd.x+json; charset=\"utf8\"; v=\"\\1\""),
				json("x").withMethod("PATCH").withContentType("text/plain;b=1; charset=UTF-8"), post(null, bytes("")),
				post("no type", bytes("x")),
				post("application/x-www-form-urlencoded", bytes(""))
					.withParameters(Map.of("b", List.of("1", "2"), "a", List.of(""), "access_token", List.of("t"))),
				post("multipart/form-data; boundary=x; a=b", multipart).withHeader("x-version", "1", "2"));
		MessageDigest stored = DigestKeys.sha256();
		for (TestFingerprintSource source : sources) {
			stored.update(Fingerprints.of(this.fingerprint, source).getBytes(StandardCharsets.UTF_8));
			stored.update(Fingerprints.of(configured, source).getBytes(StandardCharsets.UTF_8));
		}
		assertThat(HexFormat.of().formatHex(stored.digest()))
			.isEqualTo("9b719bc89fe702e5e00031150ef98206707bf39b31854a9c47c890e3172964cc");
	}

	@Test
	@Tag("F1")
	void methodAndConcretePathCount() {
		assertDifferent(json("{}"), json("{}").withMethod("PUT"));
		assertDifferent(json("{}").withPath("/orders/1/capture"), json("{}").withPath("/orders/2/capture"));
		assertDifferent(json("{}").withPath("/a%2Fb"), json("{}").withPath("/a/b"));
	}

	@ParameterizedTest
	@Tag("F7")
	@CsvSource({ "a=1&b=2,b=2&a=1", "a=1&b=2&a=3,b=2&a=1&a=3", "a=%41,a=A", "%61=1,a=1", "a=x+y,a=x%20y",
			"a=%c3%bc,a=%C3%BC", "a=1&&b=2&,a=1&b=2" })
	void queryIsTheSameInAnyOrderAndSpelling(String one, String other) {
		assertSame(json("{}").withQuery(one), json("{}").withQuery(other));
	}

	@ParameterizedTest
	@Tag("F7")
	@CsvSource({ "a=1,a=2", "a=1,A=1", "a=1&a=2,a=2&a=1", "a,a=", "a=1,a=1&b", "a=1&b=2,a=1%26b=2", "a=b=c,a%3Db=c",
			"a=%zz,a=%25zz", "a=%4,a=%254", "a=%,a=%25", "a=+,a=%2B", "a=%ff,a=%fe", "a=1&b=2,a=2&b=1",
			"a=%\uFF141,a=%41" })
	void queriesThatMeanDifferentThingsDiffer(String one, String other) {
		assertDifferent(json("{}").withQuery(one), json("{}").withQuery(other));
	}

	@Test
	@Tag("F7")
	void noQueryIsAnEmptyQuery() {
		assertSame(json("{}").withQuery(null), json("{}").withQuery(""));
	}

	@ParameterizedTest
	@Tag("F8")
	@CsvSource(delimiter = '|',
			value = { "application/json|Application/JSON", "text/plain;charset=utf-8|text/plain; charset=\"UTF-8\"",
					"text/plain;charset=utf8|text/plain ;Charset=UTF-8;",
					"text/plain;charset=latin1|text/plain;charset=iso-8859-1",
					"text/plain;charset=NoSuch|text/plain;charset=nosuch", "text/plain;a=1;b=2|text/plain; b=2; a=1",
					"text/plain;a=\"\\x\"|text/plain;a=x" })
	void mediaTypeIsTheSameInAnySpelling(String one, String other) {
		Bytes body = bytes("text");
		assertSame(post(one, body), post(other, body));
	}

	@ParameterizedTest
	@Tag("F22")
	@CsvSource({ "/%61/json, /a/json", "/a%7eb, /a~b", "/%c3%bc, /%C3%BC", "/%2d%2E%5f, /-._" })
	void pathIsTheSameInAnySpelling(String one, String other) {
		assertSame(json("{}").withPath(one), json("{}").withPath(other));
	}

	@ParameterizedTest
	@Tag("F22")
	@CsvSource({ "/a%2Fb, /a/b", "/a%3Bb, /a;b", "/A, /a", "/%41, /a", "/a%2561, /aa", "/a%, /a%25", "/a+b, /a%20b" })
	void pathsThatAreDifferentDiffer(String one, String other) {
		assertDifferent(json("{}").withPath(one), json("{}").withPath(other));
	}

	@ParameterizedTest
	@Tag("F22")
	@CsvSource({ "application/json;charset=UTF-8", "application/json; charset=\"utf8\"" })
	void theCharsetOfJsonIsUtf8(String type) {
		assertSame(json("{}"), post(type, bytes("{}")));
		assertDifferent(json("{}"), post("application/json;charset=ISO-8859-1", bytes("{}")));
		assertDifferent(json("{}"), post("application/json;v=1", bytes("{}")));
	}

	@ParameterizedTest
	@Tag("F8")
	@CsvSource(delimiter = '|',
			value = { "text/plain|text/html", "text/plain|text/plain;charset=utf-8",
					"text/plain;charset=utf-8|text/plain;charset=latin1", "text/plain;a=x|text/plain;a=X",
					"nonsense|NONSENSE", "text/plain;a=1;a=1|text/plain;a=1", "text/plain|text/plain nonsense",
					"text/plain;a=\"1;b=2\"|text/plain;a=1;b=2" })
	void mediaTypesThatAreDifferentDiffer(String one, String other) {
		Bytes body = bytes("text");
		assertDifferent(post(one, body), post(other, body));
		assertDifferent(post(one, body), post(null, body));
	}

	@Test
	@Tag("F9")
	void headersDoNotCountByDefault() {
		assertSame(json("{}").withHeader("authorization", "Bearer 1"), json("{}").withHeader("traceparent", "00-1"));
	}

	@Test
	@Tag("F10")
	void includedHeaderCountsByItsValuesInOrder() {
		CanonicalFingerprint including = new CanonicalFingerprint(List.of("X-Version", "Accept-Language"), List.of());
		Set<String> different = new HashSet<>();
		different.add(Fingerprints.of(including, json("{}")));
		different.add(Fingerprints.of(including, json("{}").withHeader("x-version", "")));
		different.add(Fingerprints.of(including, json("{}").withHeader("x-version", "1")));
		different.add(Fingerprints.of(including, json("{}").withHeader("x-version", "1", "2")));
		different.add(Fingerprints.of(including, json("{}").withHeader("x-version", "2", "1")));
		different.add(Fingerprints.of(including, json("{}").withHeader("x-version", "1, 2")));
		different.add(Fingerprints.of(including, json("{}").withHeader("accept-language", "1")));
		assertThat(different).hasSize(7);
	}

	@Test
	@Tag("F10")
	void orderAndCaseOfIncludedHeadersInTheConfigurationDoNotMatter() {
		TestFingerprintSource source = json("{}").withHeader("b", "1");
		assertThat(Fingerprints.of(new CanonicalFingerprint(List.of("A", "b", "B"), List.of()), source))
			.isEqualTo(Fingerprints.of(new CanonicalFingerprint(List.of("B", "a"), List.of()), source));
	}

	@ParameterizedTest
	@Tag("F9")
	@ValueSource(strings = { "Authorization", "Cookie", "traceparent", " b3 " })
	void credentialsAndTracesCannotBeIncluded(String header) {
		assertThatIllegalArgumentException().isThrownBy(() -> new CanonicalFingerprint(List.of(header), List.of()))
			.withMessageContaining("'" + header + "' cannot be included");
	}

	private static Bytes bytes(String text) {
		return new Bytes(text.getBytes(StandardCharsets.UTF_8));
	}

}
