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
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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
		return keys.fingerprint(ALICE, "POST /payments", CONTENT);
	}

	@Test
	@Tag("F17")
	@Tag("S9")
	void identityAndHandlerArePartOfAFingerprint() {
		for (DigestKeys keys : List.of(DigestKeys.none(), keys())) {
			byte[] stored = fingerprint(keys).bytes();
			assertThat(stored).hasSize(33);
			assertThat(fingerprint(keys).matches(stored)).isTrue();
			assertThat(keys.fingerprint(BOB, "POST /payments", CONTENT).matches(stored)).isFalse();
			assertThat(keys.fingerprint(ALICE, "POST /refunds", CONTENT).matches(stored)).isFalse();
			assertThat(keys.fingerprint(ALICE, "POST /payments", new byte[33]).matches(stored)).isFalse();
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
			.isNotEqualTo(keys().identity("shop"));
	}

	@Test
	@Tag("S9")
	void aFingerprintMatchesNeitherItsContentNorOneWithoutTheSecret() {
		assertThat(fingerprint(DigestKeys.none()).matches(CONTENT)).isFalse();
		assertThat(fingerprint(DigestKeys.none()).matches(new byte[33])).isFalse();
		assertThat(fingerprint(keys()).matches(CONTENT)).isFalse();
		assertThat(fingerprint(keys()).matches(fingerprint(DigestKeys.none()).bytes())).isFalse();
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
		byte[] plain = DigestKeys.none().identity("a", "b");
		assertThat(plain).isEqualTo(DigestKeys.digest("a", "b"));
		byte[] keyed = keys().identity("a", "b");
		assertThat(keyed).hasSize(32).isNotEqualTo(plain).isEqualTo(keys("one").identity("a", "b"));
		assertThat(keys().identity("ab", "")).isNotEqualTo(keyed);
		assertThat(DigestKeys.of(secret("other"), List.of()).identity("a", "b")).isNotEqualTo(keyed);
	}

}
