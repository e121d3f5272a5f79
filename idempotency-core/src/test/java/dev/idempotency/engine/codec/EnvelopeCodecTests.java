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
package dev.idempotency.engine.codec;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.exception.NotReplayableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Stored content is read by every configuration that may, and by no other.
 */
@Tag("Y6")
class EnvelopeCodecTests {

	private static final byte[] ANSWER = "{\"secret\":\"4111111111111111\"}".repeat(20)
		.getBytes(StandardCharsets.UTF_8);

	private static final Duration TTL = Duration.ofDays(1);

	private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");

	private static final SecretKey OLD = key(1);

	private static final SecretKey NEW = key(2);

	private static final ResponseCodec.Context CONTEXT = context(1);

	private static byte[] bytes(int value) {
		byte[] bytes = new byte[32];
		Arrays.fill(bytes, (byte) value);
		return bytes;
	}

	private static ResponseCodec.Context context(int value) {
		return new ResponseCodec.Context("app", Purpose.ANSWER, bytes(value), new byte[33], 201, TTL);
	}

	private static SecretKey key(int value) {
		return new SecretKeySpec(bytes(value), "AES");
	}

	private static ContentCipher cipher() {
		return new ContentCipher(Map.of("old", OLD), "old");
	}

	private static ContentCipher cipher(Instant now) {
		return new ContentCipher(Map.of("old", OLD), "old", InstantSource.fixed(now));
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
			assertThat(codec.decode(CONTEXT, codec.encode(CONTEXT, answer))).isEqualTo(answer);
		}
	}

	@Test
	void everyConfigurationReadsTheAnswersOfTheOthersButForThatWhichEncrypts() {
		EnvelopeCodec encrypting = EnvelopeCodec.encrypting(cipher());
		List<EnvelopeCodec> others = List.of(EnvelopeCodec.plain(cipher()), EnvelopeCodec.gzip(cipher()));
		for (EnvelopeCodec writer : others) {
			byte[] stored = writer.encode(CONTEXT, ANSWER);
			assertThat(others).allSatisfy((reader) -> assertThat(reader.decode(CONTEXT, stored)).isEqualTo(ANSWER));
			assertNotReplayable(encrypting, CONTEXT, stored);
		}
		byte[] encrypted = encrypting.encode(CONTEXT, ANSWER);
		assertThat(others).allSatisfy((reader) -> assertThat(reader.decode(CONTEXT, encrypted)).isEqualTo(ANSWER));
	}

	@Test
	@Tag("Y10")
	void untilTheEndOfAMigrationAllIsReadAndAfterItNothing() {
		EnvelopeCodec migrating = EnvelopeCodec.encrypting(cipher())
			.acceptingUnauthenticatedUntil(NOW.plusSeconds(1), InstantSource.fixed(NOW));
		EnvelopeCodec migrated = EnvelopeCodec.encrypting(cipher())
			.acceptingUnauthenticatedUntil(NOW, InstantSource.fixed(NOW));
		for (byte[] stored : new byte[][] { EnvelopeCodec.plain(null).encode(CONTEXT, ANSWER),
				EnvelopeCodec.gzip(null).encode(CONTEXT, ANSWER) }) {
			assertThat(migrating.decode(CONTEXT, stored)).isEqualTo(ANSWER);
			assertNotReplayable(migrated, CONTEXT, stored);
		}
		byte[] moved = EnvelopeCodec.encrypting(cipher()).encode(context(2), ANSWER);
		assertNotReplayable(migrating, CONTEXT, moved);
	}

	@Test
	@Tag("Y10")
	void whatWasMovedToAnotherPlaceIsNotRead() {
		ResponseCodec codec = EnvelopeCodec.encrypting(cipher());
		byte[] stored = codec.encode(CONTEXT, ANSWER);
		byte[] otherFingerprint = new byte[33];
		otherFingerprint[0] = 1;
		assertThat(codec.decode(new ResponseCodec.Context("app", Purpose.ANSWER, bytes(1), new byte[33], 201, null),
				stored))
			.isEqualTo(ANSWER);
		assertNotReplayable(codec,
				new ResponseCodec.Context("other", Purpose.ANSWER, bytes(1), new byte[33], 201, null), stored);
		assertNotReplayable(codec, new ResponseCodec.Context("app", Purpose.ANSWER, bytes(2), new byte[33], 201, null),
				stored);
		assertNotReplayable(codec,
				new ResponseCodec.Context("app", Purpose.ANSWER, bytes(1), otherFingerprint, 201, null), stored);
		assertNotReplayable(codec, new ResponseCodec.Context("app", Purpose.ANSWER, bytes(1), new byte[33], 200, null),
				stored);
		for (Purpose purpose : Purpose.values()) {
			if (purpose != Purpose.ANSWER) {
				assertNotReplayable(codec, new ResponseCodec.Context("app", purpose, bytes(1), new byte[33], 201, null),
						stored);
			}
		}
	}

	@Test
	@Tag("Y10")
	void anAnswerIsNotReadWhenItIsOverWhateverItsRowSays() {
		byte[] stored = EnvelopeCodec.encrypting(cipher(NOW)).encode(CONTEXT, ANSWER);
		Instant end = NOW.plus(TTL).plus(ContentCipher.TOLERANCE);
		assertThat(EnvelopeCodec.encrypting(cipher(end)).decode(CONTEXT, stored)).isEqualTo(ANSWER);
		assertNotReplayable(EnvelopeCodec.encrypting(cipher(end.plusMillis(1))), CONTEXT, stored);
		ResponseCodec.Context unfinished = new ResponseCodec.Context("app", Purpose.COMMAND, bytes(1), new byte[33], 0,
				null);
		byte[] command = EnvelopeCodec.encrypting(cipher(NOW)).encode(unfinished, ANSWER);
		assertThat(EnvelopeCodec.encrypting(cipher(end.plus(Duration.ofDays(3650)))).decode(unfinished, command))
			.isEqualTo(ANSWER);
	}

	@Test
	@Tag("Y10")
	void unpackingIsBounded() {
		EnvelopeCodec generous = EnvelopeCodec.gzip(cipher()).withMaxContent(1000);
		EnvelopeCodec strict = EnvelopeCodec.gzip(cipher()).withMaxContent(999);
		byte[] stored = generous.encode(CONTEXT, new byte[1000]);
		assertThat(generous.decode(CONTEXT, stored)).hasSize(1000);
		assertNotReplayable(strict, CONTEXT, stored);
		assertThatIllegalStateException().isThrownBy(() -> strict.encode(CONTEXT, new byte[1000]))
			.withMessageContaining("the largest has 999 bytes");
		byte[] encrypted = EnvelopeCodec.encrypting(cipher()).encode(CONTEXT, new byte[1000]);
		assertNotReplayable(EnvelopeCodec.encrypting(cipher()).withMaxContent(999), CONTEXT, encrypted);
	}

	@Test
	void anEncryptedAnswerShowsNothingAndIsNeverTheSameTwice() {
		ResponseCodec codec = EnvelopeCodec.encrypting(cipher(NOW));
		byte[] first = codec.encode(CONTEXT, ANSWER);
		assertThat(new String(first, StandardCharsets.ISO_8859_1)).doesNotContain("secret", "4111");
		assertThat(codec.encode(CONTEXT, ANSWER)).isNotEqualTo(first);
	}

	@Test
	void encryptedContentIsCompressedFirstAndItsLengthShows() {
		ResponseCodec codec = EnvelopeCodec.encrypting(cipher());
		byte[] noise = new byte[ANSWER.length];
		new Random(1).nextBytes(noise);
		assertThat(codec.encode(CONTEXT, ANSWER)).hasSizeLessThan(ANSWER.length / 2);
		assertThat(codec.encode(CONTEXT, noise)).hasSizeGreaterThan(noise.length);
	}

	@Test
	void afterARotationOldAndNewAnswersAreRead() {
		byte[] old = EnvelopeCodec.encrypting(cipher()).encode(CONTEXT, ANSWER);
		ResponseCodec rotated = EnvelopeCodec.encrypting(new ContentCipher(Map.of("old", OLD, "new", NEW), "new"));
		assertThat(rotated.decode(CONTEXT, old)).isEqualTo(ANSWER);
		assertThat(rotated.decode(CONTEXT, rotated.encode(CONTEXT, ANSWER))).isEqualTo(ANSWER);
		assertNotReplayable(EnvelopeCodec.encrypting(cipher()), CONTEXT, rotated.encode(CONTEXT, ANSWER));
	}

	@Test
	void anAnswerThatWasCopiedToAnotherRecordIsNotRead() {
		ResponseCodec codec = EnvelopeCodec.encrypting(cipher());
		assertNotReplayable(codec, context(2), codec.encode(CONTEXT, ANSWER));
	}

	@Test
	void theSameIdWithAnotherKeyDoesNotRead() {
		byte[] stored = EnvelopeCodec.encrypting(cipher()).encode(CONTEXT, ANSWER);
		assertNotReplayable(EnvelopeCodec.encrypting(new ContentCipher(Map.of("old", NEW), "old")), CONTEXT, stored);
		assertNotReplayable(EnvelopeCodec.plain(null), CONTEXT, stored);
	}

	@Test
	void everyCorruptedByteOfAnEncryptedAnswerIsFound() {
		ResponseCodec codec = EnvelopeCodec.encrypting(cipher());
		byte[] stored = codec.encode(CONTEXT, ANSWER);
		for (int i = 1; i < stored.length; i++) {
			byte[] corrupted = stored.clone();
			corrupted[i] ^= 1;
			assertNotReplayable(codec, CONTEXT, corrupted);
		}
		for (int length = 0; length < stored.length; length++) {
			assertNotReplayable(codec, CONTEXT, Arrays.copyOf(stored, length));
		}
	}

	@Test
	void whatIsNoEnvelopeIsNotReplayable() {
		assertNotReplayable(EnvelopeCodec.plain(null), CONTEXT, new byte[0]);
		assertNotReplayable(EnvelopeCodec.plain(null), CONTEXT, new byte[] { 99, 1, 2 });
		assertNotReplayable(EnvelopeCodec.gzip(null), CONTEXT, new byte[] { 1, 1, 2 });
	}

	@Test
	void theKeyThatEncryptsMustBeThere() {
		assertThatIllegalArgumentException().isThrownBy(() -> new ContentCipher(Map.of("old", OLD), "new"))
			.withMessage("There is no key 'new'");
	}

	private static void assertNotReplayable(ResponseCodec codec, ResponseCodec.Context context, byte[] stored) {
		assertThatExceptionOfType(NotReplayableException.class).isThrownBy(() -> codec.decode(context, stored));
	}

}
