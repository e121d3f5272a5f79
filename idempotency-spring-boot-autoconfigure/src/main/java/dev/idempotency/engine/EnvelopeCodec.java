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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.NotReplayableException;
import dev.idempotency.ResponseCodec;

/**
 * Marks every stored answer with how it was encoded, so that answers of an earlier
 * configuration are readable until they have expired.
 */
public final class EnvelopeCodec implements ResponseCodec {

	private static final byte PLAIN = 0;

	private static final byte GZIP = 1;

	private static final byte ENCRYPTED = 2;

	private final boolean compressing;

	private final @Nullable AnswerCipher cipher;

	private EnvelopeCodec(boolean compressing, @Nullable AnswerCipher cipher) {
		this.compressing = compressing;
		this.cipher = cipher;
	}

	/**
	 * Stores answers as they are.
	 * @param readable decrypts older answers, {@code null} if none were encrypted
	 * @return the codec
	 */
	public static EnvelopeCodec plain(@Nullable AnswerCipher readable) {
		return new EnvelopeCodec(false, readable);
	}

	/**
	 * Compresses answers.
	 * @param readable decrypts older answers, {@code null} if none were encrypted
	 * @return the codec
	 */
	public static EnvelopeCodec gzip(@Nullable AnswerCipher readable) {
		return new EnvelopeCodec(true, readable);
	}

	/**
	 * Encrypts answers.
	 * @param cipher encrypts and decrypts
	 * @return a codec for new answers that reads all
	 */
	public static ResponseCodec encrypting(AnswerCipher cipher) {
		EnvelopeCodec reader = new EnvelopeCodec(true, cipher);
		return new ResponseCodec() {

			@Override
			public byte[] encode(byte[] identity, byte[] answer) {
				return prefixed(ENCRYPTED, cipher.encrypt(identity, compress(answer)));
			}

			@Override
			public byte[] decode(byte[] identity, byte[] stored) {
				return reader.decode(identity, stored);
			}

		};
	}

	@Override
	public byte[] encode(byte[] identity, byte[] answer) {
		return this.compressing ? prefixed(GZIP, compress(answer)) : prefixed(PLAIN, answer);
	}

	@Override
	public byte[] decode(byte[] identity, byte[] stored) {
		if (stored.length == 0) {
			throw new NotReplayableException(null);
		}
		byte[] content = Arrays.copyOfRange(stored, 1, stored.length);
		return switch (stored[0]) {
			case PLAIN -> content;
			case GZIP -> decompress(content);
			case ENCRYPTED -> decompress(decrypt(identity, content));
			default -> throw new NotReplayableException(null);
		};
	}

	private byte[] decrypt(byte[] identity, byte[] content) {
		if (this.cipher == null) {
			throw new NotReplayableException(
					new IllegalStateException("The answer is encrypted and no keys are configured"));
		}
		return this.cipher.decrypt(identity, content);
	}

	private static byte[] prefixed(byte kind, byte[] content) {
		byte[] result = new byte[content.length + 1];
		result[0] = kind;
		System.arraycopy(content, 0, result, 1, content.length);
		return result;
	}

	private static byte[] compress(byte[] content) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(content.length / 2 + 64);
		try (OutputStream out = new GZIPOutputStream(bytes)) {
			out.write(content);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	private static byte[] decompress(byte[] content) {
		try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(content))) {
			return in.readAllBytes();
		}
		catch (IOException ex) {
			throw new NotReplayableException(ex);
		}
	}

}
