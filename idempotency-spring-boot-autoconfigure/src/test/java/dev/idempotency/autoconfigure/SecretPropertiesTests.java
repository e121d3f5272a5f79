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
package dev.idempotency.autoconfigure;

import java.util.Base64;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("F17")
class SecretPropertiesTests {

	private static final String SECRET = Base64.getEncoder().encodeToString(new byte[32]);

	@Test
	void withoutASecretDigestsAreNotKeyed() {
		byte[] plain = DigestKeys.none().check("shop");
		assertThat(new SecretProperties(null, null, List.of(), null).toKeys().check("shop")).isEqualTo(plain);
		assertThat(new SecretProperties(SECRET, null, List.of(), null).toKeys().check("shop")).isNotEqualTo(plain);
	}

	@Test
	void fingerprintsAreNotKeyedWithoutIdentities() {
		assertRefused(null, SECRET, List.of(), "idempotency.secret.identity is not");
		assertRefused(null, null, List.of(SECRET), "idempotency.secret.identity is not");
		assertRefused(SECRET, null, List.of(SECRET), "idempotency.secret.fingerprint is not");
	}

	@ParameterizedTest
	@ValueSource(strings = { "c2hvcnQ=", "not base64!", "" })
	void aSecretThatIsNoneIsRefusedAndNotShown(String secret) {
		assertRefused(secret, null, List.of(), "idempotency.secret.identity is not a secret");
		assertRefused(SECRET, secret, List.of(), "idempotency.secret.fingerprint is not a secret");
		assertRefused(SECRET, SECRET, List.of(secret), "idempotency.secret.earlier-fingerprints is not a secret");
	}

	@Test
	void secretsAreNotShown() {
		assertThat(new SecretProperties(SECRET, SECRET, List.of(SECRET), null).toString()).doesNotContain(SECRET);
	}

	private static void assertRefused(@Nullable String identity, @Nullable String fingerprint, List<String> earlier,
			String subject) {
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> new SecretProperties(identity, fingerprint, earlier, null).toKeys())
			.satisfies((failure) -> {
				assertThat(failure.getSubject()).contains(subject).doesNotContain("c2hvcnQ=", "base64!");
				assertThat(failure.getAction()).contains("openssl rand");
			});
	}

}
