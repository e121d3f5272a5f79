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
package dev.idempotency.engine.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.idempotency.store.Identity;

import static org.assertj.core.api.Assertions.assertThat;

class DigestKeysTests {

	private static final Identity ALICE = identity(1);

	private static final Identity BOB = identity(2);

	private static final byte[] CONTENT = content(1);

	private static Identity identity(int value) {
		byte[] digest = new byte[32];
		Arrays.fill(digest, (byte) value);
		return new Identity(digest, new byte[16]);
	}

	private static byte[] identity(DigestKeys keys, String... parts) {
		MessageDigest digest = keys.identities();
		DigestKeys.update(digest, Arrays.stream(parts).map(DigestKeys::bytes).toArray(byte[][]::new));
		return digest.digest();
	}

	/**
	 * As the default strategy makes it.
	 */
	private static byte[] content(int version) {
		byte[] content = new byte[33];
		content[0] = (byte) version;
		return content;
	}

	private static byte[] secret(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static DigestKeys keys(String... fingerprints) {
		return DigestKeys.of(secret("identity"), Arrays.stream(fingerprints).map(DigestKeysTests::secret).toList());
	}

	private static Fingerprint fingerprint(DigestKeys keys) {
		return fingerprint(keys, ALICE, "POST /payments", CONTENT);
	}

	private static Fingerprint fingerprint(DigestKeys keys, Identity identity, String handler, byte[] content) {
		return new Fingerprint(keys, identity, handler, null, () -> content);
	}

	@Test
	@Tag("F17")
	@Tag("S9")
	void identityAndHandlerArePartOfAFingerprint() {
		for (DigestKeys keys : List.of(DigestKeys.none(), keys())) {
			byte[] stored = fingerprint(keys).bytes();
			assertThat(stored).hasSize(33);
			assertThat(fingerprint(keys).matches(stored)).isTrue();
			assertThat(fingerprint(keys, BOB, "POST /payments", CONTENT).matches(stored)).isFalse();
			assertThat(fingerprint(keys, ALICE, "POST /refunds", CONTENT).matches(stored)).isFalse();
			assertThat(fingerprint(keys, ALICE, "POST /payments", new byte[33]).matches(stored)).isFalse();
		}
	}

	@Test
	@Tag("F17")
	void aCheckValueDependsOnTheSecretAndTheNamespaceAndIsNoIdentity() {
		byte[] check = keys().check("shop");
		assertThat(check).hasSize(32)
			.isEqualTo(keys("rotated").check("shop"))
			.isNotEqualTo(keys().check("bank"))
			.isNotEqualTo(DigestKeys.none().check("shop"))
			.isNotEqualTo(DigestKeys.of(secret("other"), List.of()).check("shop"))
			.isNotEqualTo(identity(keys(), "shop"));
	}

	@Test
	@Tag("S9")
	void aFingerprintMatchesNeitherItsContentNorOneWithoutTheSecret() {
		assertThat(fingerprint(DigestKeys.none()).matches(CONTENT)).isFalse();
		assertThat(fingerprint(DigestKeys.none()).matches(new byte[33])).isFalse();
		assertThat(fingerprint(keys()).matches(CONTENT)).isFalse();
		byte[] withoutSecret = fingerprint(DigestKeys.none()).bytes();
		assertThat(fingerprint(keys()).matches(withoutSecret)).isFalse();
		withoutSecret[0] = fingerprint(keys()).bytes()[0];
		assertThat(fingerprint(keys()).matches(withoutSecret)).isFalse();
	}

	@Test
	@Tag("F17")
	void aRequestThatWasSentWithTheSameBytesIsRecognisedWithoutItsMeaning() {
		for (DigestKeys keys : List.of(DigestKeys.none(), keys("two", "one"))) {
			byte[] stored = new Fingerprint(keys, ALICE, "POST /payments", content(3), () -> CONTENT).bytes();
			assertThat(stored).hasSize(65);
			Fingerprint again = new Fingerprint(keys, ALICE, "POST /payments", content(3), () -> {
				throw new AssertionError("parsed");
			});
			assertThat(again.matches(stored)).isTrue();
			assertThat(new Fingerprint(keys, BOB, "POST /payments", content(3), () -> content(2)).matches(stored))
				.isFalse();
			assertThat(new Fingerprint(keys, ALICE, "POST /refunds", content(3), () -> content(2)).matches(stored))
				.isFalse();
		}
	}

	@Test
	@Tag("F17")
	void aRequestThatWasSentWithOtherBytesIsComparedByItsMeaning() {
		byte[] stored = new Fingerprint(keys("one"), ALICE, "POST /payments", content(3), () -> CONTENT).bytes();
		assertThat(sentAnew(keys("one"), CONTENT).matches(stored)).isTrue();
		assertThat(sentAnew(keys("one"), CONTENT).isStoredAs(stored)).isFalse();
		assertThat(sentAnew(keys("two", "one"), CONTENT).matches(stored)).isTrue();
		assertThat(sentAnew(keys("one"), content(2)).matches(stored)).isFalse();
		assertThat(fingerprint(keys("one")).matches(stored)).isTrue();
		assertThat(Fingerprint.of(stored).matches(sentAnew(keys("one"), CONTENT).bytes())).isTrue();
		assertThat(sentAnew(keys("one"), CONTENT).matches(fingerprint(keys("one")).bytes())).isTrue();
	}

	private static Fingerprint sentAnew(DigestKeys keys, byte[] meaning) {
		return new Fingerprint(keys, ALICE, "POST /payments", content(4), () -> meaning);
	}

	@Test
	@Tag("F17")
	void theMeaningIsParsedOnceHoweverManySecretsVerifyIt() {
		AtomicInteger parsed = new AtomicInteger();
		Fingerprint fingerprint = new Fingerprint(keys("three", "two", "one"), ALICE, "POST /payments", content(4),
				() -> {
					parsed.incrementAndGet();
					return CONTENT;
				});
		assertThat(fingerprint.matches(sentAnew(keys("other"), CONTENT).bytes())).isFalse();
		assertThat(fingerprint.matches(sentAnew(keys("one"), CONTENT).bytes())).isTrue();
		assertThat(parsed).hasValue(1);
	}

	@Test
	@Tag("F17")
	void afterARotationEarlierSecretsAndThatOfIdentitiesVerify() {
		byte[] first = fingerprint(keys()).bytes();
		byte[] second = fingerprint(keys("one")).bytes();
		byte[] third = fingerprint(keys("two", "one")).bytes();
		assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
		assertThat(fingerprint(keys("one")).matches(first)).isTrue();
		assertThat(fingerprint(keys("two", "one")).matches(first)).isTrue();
		assertThat(fingerprint(keys("two", "one")).matches(second)).isTrue();
		assertThat(fingerprint(keys("two")).matches(second)).isFalse();
		assertThat(fingerprint(keys("two")).matches(third)).isTrue();
	}

	@Test
	@Tag("F17")
	void identitiesDependOnTheirSecretAndNotOnThatOfFingerprints() {
		byte[] plain = identity(DigestKeys.none(), "a", "b");
		assertThat(plain).isEqualTo(DigestKeys.digest("a", "b"));
		byte[] keyed = identity(keys(), "a", "b");
		assertThat(keyed).hasSize(32).isNotEqualTo(plain).isEqualTo(identity(keys("one"), "a", "b"));
		assertThat(identity(keys(), "ab", "")).isNotEqualTo(keyed);
		assertThat(identity(DigestKeys.of(secret("other"), List.of()), "a", "b")).isNotEqualTo(keyed);
	}

	@Test
	void theDigestOfAUserDependsOnItsPartsAndOnTheSecret() {
		String plain = DigestKeys.none().user("alice", "{noop}secret");
		assertThat(plain).matches("[0-9a-f]{64}")
			.isEqualTo(DigestKeys.none().user("alice", "{noop}secret"))
			.isNotEqualTo(DigestKeys.none().user("alic", "e{noop}secret"))
			.isNotEqualTo(keys().user("alice", "{noop}secret"));
		assertThat(keys().user("alice")).isNotEqualTo(DigestKeys.of(secret("other"), List.of()).user("alice"));
	}

	/**
	 * The test vectors for SHA-256 of RFC 5869 appendix A.
	 */
	@ParameterizedTest
	@CsvSource({
			"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, 000102030405060708090a0b0c, f0f1f2f3f4f5f6f7f8f9, "
					+ "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
			"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
					+ "303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f, "
					+ "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f"
					+ "909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf, "
					+ "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
					+ "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff, "
					+ "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
					+ "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
			"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, '', '', "
					+ "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8" })
	void aDerivedKeyIsThatOfTheStandard(String secret, String salt, String info, String expected) {
		HexFormat hex = HexFormat.of();
		byte[] key = DigestKeys.derive(hex.parseHex(secret), hex.parseHex(salt), hex.parseHex(info),
				expected.length() / 2);
		assertThat(hex.formatHex(key)).isEqualTo(expected);
	}

}
