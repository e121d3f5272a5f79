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

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.InvalidIdempotentException;
import dev.idempotency.ResponseCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class IdempotencyCodecAutoConfigurationTests {

	private static final byte[] IDENTITY = new byte[32];

	private static final byte[] ANSWER = "x".repeat(1000).getBytes(StandardCharsets.US_ASCII);

	private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(IdempotencyCodecAutoConfiguration.class));

	@ParameterizedTest
	@CsvSource({ "none, 0, 1001", "gzip, 1, 100", "aes-gcm, 2, 150" })
	void theTypeDecidesHowAnswersAreStored(String type, int mark, int longest) {
		this.contextRunner.withPropertyValues("idempotency.codec.type=" + type, "idempotency.codec.keys.first=" + KEY)
			.run((context) -> {
				ResponseCodec codec = context.getBean(ResponseCodec.class);
				byte[] stored = codec.encode(IDENTITY, ANSWER);
				assertThat(stored[0]).isEqualTo((byte) mark);
				assertThat(stored).hasSizeLessThanOrEqualTo(longest);
				assertThat(codec.decode(IDENTITY, stored)).isEqualTo(ANSWER);
			});
	}

	@Test
	void answersAreStoredAsTheyAreByDefault() {
		this.contextRunner.run((context) -> assertThat(context.getBean(ResponseCodec.class).encode(IDENTITY, ANSWER))
			.contains(ANSWER));
	}

	@Test
	void isSwitchedOffByItsProperty() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(ResponseCodec.class));
	}

	@Test
	void leavesTheCodecOfTheApplicationAlone() {
		ResponseCodec own = mock(ResponseCodec.class);
		this.contextRunner.withPropertyValues("idempotency.codec.type=aes-gcm")
			.withBean(ResponseCodec.class, () -> own)
			.run((context) -> assertThat(context).getBean(ResponseCodec.class).isSameAs(own));
	}

	@Test
	void encryptionWithoutAKeyIsRefused() {
		assertFailure("There is no key", "idempotency.codec.type is aes-gcm, and there is no key", "openssl rand",
				"idempotency.codec.type=aes-gcm");
	}

	@ParameterizedTest
	@ValueSource(strings = { "c2hvcnQ=", "not base64!", "" })
	void aKeyThatIsNoneIsRefusedAndNotShown(String key) {
		assertFailure("not a key", "idempotency.codec.keys.first is not a key for AES-256", "32 random bytes",
				"idempotency.codec.type=aes-gcm", "idempotency.codec.keys.first=" + key);
	}

	@Test
	void severalKeysNeedAnActiveOneThatExists() {
		assertFailure("no active key", "idempotency.codec.active-key is 'null'", "Name the key that encrypts",
				"idempotency.codec.type=aes-gcm", "idempotency.codec.keys.first=" + KEY,
				"idempotency.codec.keys.second=" + KEY);
		assertFailure("unknown active key", "idempotency.codec.active-key is 'third'", "Name the key that encrypts",
				"idempotency.codec.type=aes-gcm", "idempotency.codec.keys.first=" + KEY,
				"idempotency.codec.active-key=third");
	}

	private void assertFailure(String description, String subject, String action, String... properties) {
		this.contextRunner.withPropertyValues(properties)
			.run((context) -> assertThat(context).as(description)
				.getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidIdempotentException.class, (failure) -> {
					assertThat(failure.getSubject()).contains(subject).doesNotContain("c2hvcnQ=", "base64!");
					assertThat(failure.getAction()).contains(action);
				}));
	}

}
