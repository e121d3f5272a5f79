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
package dev.idempotency.engine;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.idempotency.NotReplayableException;
import dev.idempotency.ResponseCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What is stored is read again, by every configuration that may, and by no other.
 */
@Tag("Y6")
class EnvelopeCodecTests {

	private static final byte[] IDENTITY = identity(1);

	private static final byte[] ANSWER = "{\"secret\":\"4111111111111111\"}".repeat(20)
		.getBytes(StandardCharsets.UTF_8);

	private static final SecretKey OLD = key(1);

	private static final SecretKey NEW = key(2);

	private static byte[] identity(int value) {
		byte[] identity = new byte[32];
		Arrays.fill(identity, (byte) value);
		return identity;
	}

	private static SecretKey key(int value) {
		return new SecretKeySpec(identity(value), "AES");
	}

	private static AnswerCipher cipher() {
		return new AnswerCipher(Map.of("old", OLD), "old");
	}

	static Stream<ResponseCodec> codecs() {
		return Stream.of(EnvelopeCodec.plain(null), EnvelopeCodec.gzip(null), EnvelopeCodec.encrypting(cipher()));
	}

	@ParameterizedTest
	@MethodSource("codecs")
	void everyAnswerComesBack(ResponseCodec codec) {
		byte[] allBytes = new byte[256];
		IntStream.range(0, 256).forEach((value) -> allBytes[value] = (byte) value);
		for (byte[] answer : new byte[][] { ANSWER, allBytes, {} }) {
			assertThat(codec.decode(IDENTITY, codec.encode(IDENTITY, answer))).isEqualTo(answer);
		}
	}

	@Test
	void everyConfigurationReadsTheAnswersOfTheOthers() {
		ResponseCodec[] all = { EnvelopeCodec.plain(cipher()), EnvelopeCodec.gzip(cipher()),
				EnvelopeCodec.encrypting(cipher()) };
		for (ResponseCodec writer : all) {
			for (ResponseCodec reader : all) {
				assertThat(reader.decode(IDENTITY, writer.encode(IDENTITY, ANSWER))).isEqualTo(ANSWER);
			}
		}
	}

	@Test
	void anEncryptedAnswerShowsNothingAndIsNeverTheSameTwice() {
		ResponseCodec codec = EnvelopeCodec.encrypting(cipher());
		byte[] first = codec.encode(IDENTITY, ANSWER);
		assertThat(new String(first, StandardCharsets.ISO_8859_1)).doesNotContain("secret", "4111");
		assertThat(codec.encode(IDENTITY, ANSWER)).isNotEqualTo(first);
	}

	@Test
	void afterARotationOldAndNewAnswersAreRead() {
		byte[] old = EnvelopeCodec.encrypting(cipher()).encode(IDENTITY, ANSWER);
		ResponseCodec rotated = EnvelopeCodec.encrypting(new AnswerCipher(Map.of("old", OLD, "new", NEW), "new"));
		assertThat(rotated.decode(IDENTITY, old)).isEqualTo(ANSWER);
		assertThat(rotated.decode(IDENTITY, rotated.encode(IDENTITY, ANSWER))).isEqualTo(ANSWER);
		assertNotReplayable(EnvelopeCodec.encrypting(cipher()), IDENTITY, rotated.encode(IDENTITY, ANSWER));
	}

	@Test
	void anAnswerThatWasCopiedToAnotherRecordIsNotRead() {
		ResponseCodec codec = EnvelopeCodec.encrypting(cipher());
		assertNotReplayable(codec, identity(2), codec.encode(IDENTITY, ANSWER));
	}

	@Test
	void theSameIdWithAnotherKeyDoesNotRead() {
		byte[] stored = EnvelopeCodec.encrypting(cipher()).encode(IDENTITY, ANSWER);
		assertNotReplayable(EnvelopeCodec.encrypting(new AnswerCipher(Map.of("old", NEW), "old")), IDENTITY, stored);
		assertNotReplayable(EnvelopeCodec.plain(null), IDENTITY, stored);
	}

	@Test
	void everyCorruptedByteOfAnEncryptedAnswerIsFound() {
		ResponseCodec codec = EnvelopeCodec.encrypting(cipher());
		byte[] stored = codec.encode(IDENTITY, ANSWER);
		for (int i = 1; i < stored.length; i++) {
			byte[] corrupted = stored.clone();
			corrupted[i] ^= 1;
			assertNotReplayable(codec, IDENTITY, corrupted);
		}
		for (int length = 0; length < stored.length; length++) {
			assertNotReplayable(codec, IDENTITY, Arrays.copyOf(stored, length));
		}
	}

	@Test
	void whatIsNoEnvelopeIsNotReplayable() {
		assertNotReplayable(EnvelopeCodec.plain(null), IDENTITY, new byte[0]);
		assertNotReplayable(EnvelopeCodec.plain(null), IDENTITY, new byte[] { 99, 1, 2 });
		assertNotReplayable(EnvelopeCodec.gzip(null), IDENTITY, new byte[] { 1, 1, 2 });
	}

	@Test
	void theKeyThatEncryptsMustBeThere() {
		assertThatIllegalArgumentException().isThrownBy(() -> new AnswerCipher(Map.of("old", OLD), "new"))
			.withMessage("There is no key 'new'");
	}

	private static void assertNotReplayable(ResponseCodec codec, byte[] identity, byte[] stored) {
		assertThatExceptionOfType(NotReplayableException.class).isThrownBy(() -> codec.decode(identity, stored));
	}

}
