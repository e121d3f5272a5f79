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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.account.Account;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.IdentityFactory.Kind;
import dev.idempotency.web.fingerprint.FingerprintSource.Bytes;

import static dev.idempotency.web.fingerprint.TestFingerprintSource.json;
import static dev.idempotency.web.fingerprint.TestFingerprintSource.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for the meaning of JSON in {@link CanonicalFingerprint}.
 */
class CanonicalJsonFingerprintTests {

	@Test
	@Tag("F3")
	void aDocumentIsDigestedByItsBytesAndParsedForItsMeaningOnly() throws IOException {
		Fingerprint one = fingerprint("{\"a\":1,\"b\":2}");
		Fingerprint other = fingerprint("{\"b\":2,\"a\":1}");
		assertThat(one.bytes()).hasSize(65);
		assertThat(one.isStoredAs(other.bytes())).isFalse();
		assertThat(one.isStoredAs(fingerprint("{\"a\":1,\"b\":2}").bytes())).isTrue();
		assertThat(one.matches(other.bytes())).isTrue();
		byte[] broken = fingerprint("{\"a\":").bytes();
		assertThat(Arrays.copyOfRange(broken, 1, 33)).isEqualTo(Arrays.copyOfRange(broken, 33, 65));
	}

	private static Fingerprint fingerprint(String document) throws IOException {
		IdentityFactory identities = new IdentityFactory("app", IdentityFactory::defaultScopeName, DigestKeys.none());
		IdempotentOperation operation = new IdempotentOperation("POST /payments", null, Scope.ACCOUNT, "",
				Duration.ofDays(1), Duration.ofDays(1), true, Mode.TRANSACTIONAL, Replay.FULL);
		return new CanonicalFingerprint(List.of(), List.of()).fingerprint(json(document), identities,
				identities.create(operation, Kind.RESPONSE, Account.SHARED, "k"), operation);
	}

	@ParameterizedTest
	@Tag("F3")
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "{\"a\":1,\"b\":2}|{\"b\":2,\"a\":1}", "{\"a\":1}|`  {  \"a\"  :  1  }  `",
					"{\"a\":{\"x\":[1],\"y\":2},\"b\":3}|{\"b\":3,\"a\":{\"y\":2,\"x\":[1]}}", "[1,2]|`[ 1 , 2 ]`",
					"\"\\u0041\"|\"A\"", "{\"\\u0061\":1}|{\"a\":1}", "\"\\/\"|\"/\"",
					"\"\\uD83D\\uDE00\"|\"\uD83D\uDE00\"" })
	void spellingDoesNotMatter(String one, String other) {
		assertSame(one, other);
	}

	@ParameterizedTest
	@Tag("F4")
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "[1,2]|[2,1]", "{\"a\":null}|{}", "{\"a\":1}|{\"A\":1}", "{\"a\":1}|{\"a\":\"1\"}",
					"{\"a\":true}|{\"a\":\"true\"}", "{\"a\":null}|{\"a\":\"null\"}", "{\"a\":0}|{\"a\":false}",
					"{}|[]", "[[],[]]|[[[]]]", "[{},{}]|[{}]", "[[1],2]|[[1,2]]", "\"\\uD800\"|\"?\"",
					"\"\\uD800\"|\"\\uD801\"", "{\"a\":{\"b\":1},\"c\":2}|{\"a\":{\"b\":1,\"c\":2}}",
					"{\"a\":\"b\",\"c\":\"d\"}|{\"a\":\"d\",\"c\":\"b\"}", "\"e\u0301\"|\"\u00E9\"", "\"]\"|[]",
					"[\"a\",\"b\"]|[\"ab\"]" })
	void meaningMatters(String one, String other) {
		assertDifferent(one, other);
	}

	@ParameterizedTest
	@Tag("F5")
	@CsvSource({ "1,1.0", "1,1e0", "1,1E+0", "1,0.1e1", "1,10e-1", "1,100.000e-2", "100,1e2", "0,-0", "0,0.000",
			"0,-0e99", "0,0e99999999999999999999", "-1.5,-15e-1", "1e1000000000,10e999999999",
			"1e-1000000000,0.1e-999999999", "1e99999999999999999999,10e99999999999999999998",
			"123456789012345678901234567890,1.2345678901234567890123456789e29" })
	void numbersOfOneValueAreTheSame(String one, String other) {
		assertSame(one, other);
		assertSame("{\"a\":[" + one + "]}", "{\"a\":[" + other + "]}");
	}

	@ParameterizedTest
	@Tag("F5")
	@CsvSource({ "9007199254740993,9007199254740992", "1,-1", "1,10", "0.1,0.10000000000000001", "1e400,1e401",
			"1e-400,0", "1e1000000000,1e1000000001", "12,21", "1.2,12",
			"1e99999999999999999999,1e99999999999999999998" })
	void numbersOfDifferentValuesDiffer(String one, String other) {
		assertDifferent(one, other);
	}

	@Test
	void byteOrderMarkHasNoMeaning() {
		assertSame("\uFEFF{\"a\":1}", "{\"a\":1}");
	}

	@ParameterizedTest
	@CsvSource({ "application/json,true", "APPLICATION/JSON; a=b,true", "application/merge-patch+json,true",
			"application/problem+json,true", "text/json,false", "application/jsonx,false", "application/x-ndjson,false",
			"text/x+json,false", "application/json nonsense,false", "application/xml,false" })
	void mediaTypeDecidesWhetherItIsJson(String contentType, boolean json) {
		Bytes one = new Bytes("{\"a\":1}".getBytes(StandardCharsets.UTF_8));
		Bytes other = new Bytes("{\"a\": 1.0}".getBytes(StandardCharsets.UTF_8));
		assertThat(Fingerprints.of(post(contentType, one)).equals(Fingerprints.of(post(contentType, other))))
			.isEqualTo(json);
	}

	@Test
	@Tag("F10")
	void excludedPointersDoNotCountWhereverTheyMatch() {
		CanonicalFingerprint excluding = excluding("/at", "/items/1/note", "/meta/a~1b", "/meta/m~0n", "/meta/~01",
				"/");
		String expected = of(excluding, "{\"id\":1,\"items\":[{\"note\":1},{\"n\":2}],\"meta\":{}}");
		assertThat(of(excluding, "{\"id\":1,\"items\":[{\"note\":1},{\"n\":2}],\"meta\":{},\"at\":\"now\"}"))
			.isEqualTo(expected);
		assertThat(of(excluding, "{\"at\":{\"x\":[1]},\"id\":1,\"items\":[{\"note\":1},{\"n\":2,\"note\":7}],"
				+ "\"meta\":{\"a/b\":1,\"m~n\":2,\"~1\":3},\"\":4}"))
			.isEqualTo(expected);
		assertThat(of(excluding, "{\"id\":1,\"items\":[{\"note\":2},{\"n\":2}],\"meta\":{}}")).isNotEqualTo(expected);
		assertThat(of(excluding, "{\"id\":1,\"items\":[{\"note\":1},{\"n\":2}],\"meta\":{\"at\":1}}"))
			.isNotEqualTo(expected);
		assertThat(of(excluding, "{\"id\":2,\"items\":[{\"note\":1},{\"n\":2}],\"meta\":{}}")).isNotEqualTo(expected);
	}

	@Test
	@Tag("F10")
	void excludedArrayElementsAreLeftOut() {
		CanonicalFingerprint excluding = excluding("/1", "/10/x", "/01");
		assertThat(of(excluding, "[1,2,3]")).isEqualTo(of(excluding, "[1,{\"a\":[]},3]"))
			.isNotEqualTo(of(excluding, "[2,2,3]"));
		assertThat(of(excluding, "{\"1\":5,\"a\":1}")).isEqualTo(of(excluding, "{\"a\":1}"));
	}

	@Test
	@Tag("F10")
	void excludedLongStringsDoNotCount() {
		CanonicalFingerprint excluding = excluding("/at", "/list/1");
		String one = "x".repeat(5_000);
		String other = "y".repeat(5_001);
		String document = "{\"b\":\"" + one + "\",\"at\":\"%s\",\"a\":\"" + other + "\",\"list\":[\"" + one
				+ "\",[\"%s\"],\"" + one + "\"]}";
		assertThat(of(excluding, document.formatted(one, other)))
			.isEqualTo(of(excluding, document.formatted(other, "")))
			.isNotEqualTo(of(excluding, document.replace(one, other).formatted(one, other)));
	}

	@Test
	@Tag("F10")
	void excludedMembersMakeUnreadableJsonNoLessUnreadable() {
		CanonicalFingerprint excluding = excluding("/at");
		assertThat(of(excluding, "{\"at\":1,\"at\":2}")).isNotEqualTo(of(excluding, "{\"at\":1,\"at\":3}"));
		assertThat(of(excluding, "{\"at\":{\"a\":1,\"a\":2}}"))
			.isNotEqualTo(of(excluding, "{\"at\":{\"a\":1,\"a\":3}}"));
		assertThat(of(excluding, "{\"at\":tru}")).isNotEqualTo(of(excluding, "{\"at\":fals}"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "at", "#/at", "$.at", " /at", "/a~", "/a~2", "/~~0" })
	void invalidPointersAreRejectedWithTheReason(String pointer) {
		assertThatIllegalArgumentException().isThrownBy(() -> excluding(pointer))
			.withMessageStartingWith("'" + pointer + "' cannot be excluded from the fingerprint");
	}

	@Test
	@Tag("F3")
	@Tag("F5")
	void anyOtherSpellingOfRandomDocumentIsTheSameAndAnyOtherValueIsNot() {
		long seed = System.nanoTime();
		System.out.println("CanonicalJsonFingerprintTests seed " + seed);
		Random random = new Random(seed);
		for (int i = 0; i < 3_000; i++) {
			RandomJson.Value document = RandomJson.document(random);
			String text = document.write(random);
			assertThat(Fingerprints.of(json(document.write(random)))).as("seed %d: %s", seed, text)
				.isEqualTo(Fingerprints.of(json(text)));
			String changed = document.changed(random).write(random);
			assertThat(Fingerprints.of(json(changed))).as("seed %d: %s and %s", seed, text, changed)
				.isNotEqualTo(Fingerprints.of(json(text)));
		}
	}

	@Test
	void smallDocumentsNeverCollide() {
		Set<String> documents = new HashSet<>();
		List<String> values = List.of("0", "1", "\"\"", "\"s\"", "\"d\"", "true", "false", "null", "[]", "{}");
		for (String one : values) {
			documents.addAll(List.of(one, "[" + one + "]", "[[" + one + "]]", "{\"\":" + one + "}",
					"{\"s\":" + one + "}", "{\"s\":[" + one + "]}", "[{\"s\":" + one + "}]"));
			for (String other : values) {
				documents.addAll(List.of("[" + one + "," + other + "]", "[[" + one + "]," + other + "]",
						"{\"\":" + one + ",\"s\":" + other + "}", "{\"\":[" + one + "," + other + "]}"));
			}
		}
		// Each of them is spelled in one way only, so that other text is another meaning
		assertThat(documents.stream().map((document) -> Fingerprints.of(json(document))).distinct())
			.hasSameSizeAs(documents);
	}

	private static CanonicalFingerprint excluding(String... pointers) {
		return new CanonicalFingerprint(List.of(), List.of(pointers));
	}

	private static String of(CanonicalFingerprint fingerprint, String document) {
		return Fingerprints.of(fingerprint, json(document));
	}

	private static void assertSame(String one, String other) {
		Fingerprints.assertSame(json(one), json(other));
	}

	private static void assertDifferent(String one, String other) {
		Fingerprints.assertDifferent(json(one), json(other));
	}

}
