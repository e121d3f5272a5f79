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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.web.fingerprint.FingerprintSource.Bytes;

import static dev.idempotency.web.fingerprint.TestFingerprintSource.json;
import static dev.idempotency.web.fingerprint.TestFingerprintSource.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for what is no JSON, or JSON made to hurt, in {@link CanonicalFingerprint}.
 */
class CanonicalJsonRobustnessTests {

	@Test
	@Tag("F5")
	void hugeNumbersCostNothing() {
		String digits = "7".repeat(1_000);
		assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
			assertDifferent("1e1000000000", "-1e-1000000000");
			assertSame(digits, " " + digits);
			assertDifferent(digits, digits.substring(1) + "8");
			assertSame("[1e" + "9".repeat(990) + "]", "[10e" + "9".repeat(989) + "8]");
		});
	}

	@Test
	@Tag("F6")
	void numberBeyondTheLimitFallsBackToBytes() {
		String digits = "7".repeat(1_000_000);
		assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
			assertSame(digits, digits);
			assertDifferent(digits, " " + digits);
			assertDifferent("1e" + digits, " 1e" + digits);
		});
	}

	@ParameterizedTest
	@Tag("F6")
	@ValueSource(strings = { "{", "}", "{\"a\":1", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1", "[1,]", "[,]", "\"a",
			"tru", "nul", "01", "1.", ".5", "+1", "-", "NaN", "Infinity", "{'a':1}", "{a:1}", "{} {}", "1 2", "{} x",
			"/* */ {}", "# x", "\"\t\"", "\"\\x\"", "\"\\u12\"", " ", "\u0000", "[1]]", "{\"a\":1,\"a\":1}",
			"{\"a\":1,\"\\u0061\":2}", "[{\"b\":{\"a\":1,\"c\":2,\"a\":3}}]", "[}", "{]", "{1:2}", "\uFEFF\uFEFF{}",
			"\uFEFF" })
	void whatHasNoSingleMeaningCountsByItsBytes(String text) {
		assertSame(text, text);
		assertDifferent(text, " " + text);
		assertDifferent(text, text + "\n");
		assertDifferent(text, "{}");
	}

	@Test
	@Tag("F6")
	void duplicateMembersAreNotTheLastOne() {
		assertDifferent("{\"a\":1,\"a\":2}", "{\"a\":2}");
		assertDifferent("{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}");
	}

	@Test
	@Tag("F6")
	void whatIsNotUtf8CountsByItsBytes() {
		byte[] latin1 = "{\"a\":\"\u00FC\"}".getBytes(StandardCharsets.ISO_8859_1);
		byte[] spaced = "{ \"a\":\"\u00FC\"}".getBytes(StandardCharsets.ISO_8859_1);
		byte[] overlong = { '"', (byte) 0xC0, (byte) 0xAF, '"' };
		byte[] surrogate = { '"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"' };
		assertThat(Fingerprints.of(json(latin1))).isEqualTo(Fingerprints.of(json(latin1)))
			.isNotEqualTo(Fingerprints.of(json(spaced)));
		assertThat(Fingerprints.of(json(overlong))).isNotEqualTo(Fingerprints.of(json("\"/\"")));
		assertThat(Fingerprints.of(json(surrogate))).isNotEqualTo(Fingerprints.of(json("\"\\uD800\"")));
		assertThat(Fingerprints.of(json("{}".getBytes(StandardCharsets.UTF_16))))
			.isNotEqualTo(Fingerprints.of(json("{}")));
		assertThat(Fingerprints.of(json("{}".getBytes(StandardCharsets.UTF_16BE))))
			.isNotEqualTo(Fingerprints.of(json("{}")));
	}

	@Test
	void anotherCharsetIsNotReadAsUtf8() {
		Bytes literal = new Bytes("\"\u00FC\"".getBytes(StandardCharsets.UTF_8));
		Bytes escaped = new Bytes("\"\\u00FC\"".getBytes(StandardCharsets.UTF_8));
		assertThat(Fingerprints.of(post("application/json;charset=UTF8", literal)))
			.isEqualTo(Fingerprints.of(post("application/json;charset=utf-8", escaped)));
		assertThat(Fingerprints.of(post("application/json;charset=latin1", literal)))
			.isNotEqualTo(Fingerprints.of(post("application/json;charset=latin1", escaped)));
	}

	@Test
	@Tag("F6")
	void nestingIsReadToTheLimitAndNotBeyond() {
		assertSame(nested(500), " " + nested(500));
		assertDifferent(nested(501), " " + nested(501));
		assertDifferent(nested(200_000), " " + nested(200_000));
		assertDifferent("[".repeat(1_000_000), " " + "[".repeat(999_999));
		assertSame("{\"a\":".repeat(500) + "1" + "}".repeat(500), "{\"a\": ".repeat(500) + "1" + "}".repeat(500));
	}

	@Test
	void timeDoesNotGrowWithNestingTimesSize() {
		String document = "{\"b\":".repeat(500) + '"' + "x".repeat(1_000_000) + '"' + ",\"a\":1}".repeat(500);
		assertTimeoutPreemptively(Duration.ofSeconds(5), () -> assertSame(document, " " + document));
	}

	@Test
	void namesWithOneHashAreNoProblem() {
		StringBuilder document = new StringBuilder("{");
		for (int i = 0; i < 1 << 14; i++) {
			StringBuilder name = new StringBuilder();
			for (int bit = 0; bit < 14; bit++) {
				name.append(((i >> bit & 1) == 0) ? "Aa" : "BB");
			}
			document.append((i > 0) ? "," : "").append('"').append(name).append("\":").append(i);
		}
		assertTimeoutPreemptively(Duration.ofSeconds(5), () -> assertSame(document + "}", document + " }"));
	}

	@Test
	@Tag("F6")
	void anyBytesHaveFingerprintAndDamagedOnesAnother() {
		long seed = System.nanoTime();
		System.out.println("CanonicalJsonFingerprintTests seed " + seed);
		Random random = new Random(seed);
		for (int i = 0; i < 20_000; i++) {
			byte[] content = RandomJson.document(random).write(random).getBytes(StandardCharsets.UTF_8);
			for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
				content[random.nextInt(content.length)] = (byte) random.nextInt(256);
			}
			byte[] cut = Arrays.copyOf(content, random.nextInt(content.length + 1));
			assertThat(Fingerprints.of(json(content))).as("seed %d", seed)
				.hasSize(66)
				.isEqualTo(Fingerprints.of(json(content.clone())));
			assertThat(Fingerprints.of(json(cut))).as("seed %d", seed).hasSize(66);
		}
	}

	private static String nested(int depth) {
		return "[".repeat(depth) + "]".repeat(depth);
	}

	private static void assertSame(String one, String other) {
		Fingerprints.assertSame(json(one), json(other));
	}

	private static void assertDifferent(String one, String other) {
		Fingerprints.assertDifferent(json(one), json(other));
	}

}
