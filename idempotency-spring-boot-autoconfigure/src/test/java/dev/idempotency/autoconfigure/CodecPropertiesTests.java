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
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

class CodecPropertiesTests {

	private static final ResponseCodec.Context CONTEXT = new ResponseCodec.Context("app", Purpose.ANSWER, new byte[32],
			new byte[33], 201, Duration.ofDays(1));

	private static final byte[] ANSWER = "x".repeat(1000).getBytes(StandardCharsets.US_ASCII);

	private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase()
		.withUserConfiguration(TestContexts.InUse.class);

	@ParameterizedTest
	@CsvSource({ "none, 0, 1001", "gzip, 1, 100", "aes-gcm, 4, 150" })
	void theTypeDecidesHowAnswersAreStored(String type, int mark, int longest) {
		this.contextRunner.withPropertyValues("idempotency.codec.type=" + type, "idempotency.codec.keys.first=" + KEY)
			.run((context) -> {
				ResponseCodec codec = context.getBean(ResponseCodec.class);
				byte[] stored = codec.encode(CONTEXT, ANSWER);
				assertThat(stored[0]).isEqualTo((byte) mark);
				assertThat(stored).hasSizeLessThanOrEqualTo(longest);
				assertThat(codec.decode(CONTEXT, stored)).isEqualTo(ANSWER);
			});
	}

	@Test
	void answersAreStoredAsTheyAreByDefault() {
		this.contextRunner.run(
				(context) -> assertThat(context.getBean(ResponseCodec.class).encode(CONTEXT, ANSWER)).contains(ANSWER));
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
		assertFailure("There is no key", "idempotency.codec.type is aes-gcm, and no key is configured", "openssl rand",
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
		assertFailure("no active key", "idempotency.codec.active-key has to name one of the keys",
				"Name the key that encrypts", "idempotency.codec.type=aes-gcm", "idempotency.codec.keys.first=" + KEY,
				"idempotency.codec.keys.second=" + KEY);
		assertFailure("unknown active key", "idempotency.codec.active-key names none of the keys [first]",
				"Name the key that encrypts", "idempotency.codec.type=aes-gcm", "idempotency.codec.keys.first=" + KEY,
				"idempotency.codec.active-key=third");
	}

	@Test
	void aMigrationWithoutEncryptionOrWithoutAnEndInSightIsRefused() {
		assertFailure("no encryption", "idempotency.codec.accept-unauthenticated-until", "Remove it",
				"idempotency.codec.accept-unauthenticated-until=2026-01-01T00:00:00Z");
		assertFailure("too long", "idempotency.codec.accept-unauthenticated-until", "within 90 days",
				"idempotency.codec.type=aes-gcm", "idempotency.codec.keys.first=" + KEY,
				"idempotency.codec.accept-unauthenticated-until=" + Instant.now().plus(Duration.ofDays(91)));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aMigrationIsLoggedWhileItLasts(CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("idempotency.codec.type=aes-gcm", "idempotency.codec.keys.first=" + KEY,
					"idempotency.codec.accept-unauthenticated-until=" + Instant.now().minus(Duration.ofDays(1)))
			.run((context) -> assertThat(output).doesNotContain("IDEM-1009"));
		this.contextRunner
			.withPropertyValues("idempotency.codec.type=aes-gcm", "idempotency.codec.keys.first=" + KEY,
					"idempotency.codec.accept-unauthenticated-until=" + Instant.now().plus(Duration.ofDays(1)))
			.run((context) -> assertThat(output).containsOnlyOnce("IDEM-1009"));
	}

	@Test
	void contentOverTheLimitIsNotPackedAndTheLargestResponseAlwaysIs() {
		this.contextRunner
			.withPropertyValues("idempotency.codec.type=gzip", "idempotency.limits.max-request-body=1KB",
					"idempotency.limits.max-response-body=20MB")
			.run((context) -> {
				ResponseCodec codec = context.getBean(ResponseCodec.class);
				byte[] largest = new byte[20 * 1024 * 1024];
				assertThat(codec.decode(CONTEXT, codec.encode(CONTEXT, largest))).isEqualTo(largest);
				assertThatIllegalStateException().isThrownBy(() -> codec.encode(CONTEXT, new byte[22 * 1024 * 1024]))
					.withMessageContaining("cannot be stored");
			});
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
