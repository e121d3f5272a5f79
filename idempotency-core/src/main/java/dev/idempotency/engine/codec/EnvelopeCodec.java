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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.StoredResponse.Body;
import dev.idempotency.exception.NotReplayableException;

/**
 * Marks stored content with its encoding, so that content of an earlier configuration
 * stays readable until it expires. A codec that encrypts reads only encrypted content,
 * because anybody may have written other content; until the end of a migration it reads
 * that as well.
 */
public final class EnvelopeCodec implements ResponseCodec {

	/**
	 * Default maximum size of content before packing.
	 */
	static final int MAX_CONTENT = 64 * 1024 * 1024;

	private static final byte[] NOTHING = {};

	private static final byte PLAIN = 0;

	private static final byte GZIP = 1;

	/**
	 * Earlier encrypted forms were bound to less of their place, and are not read.
	 */
	private static final byte ENCRYPTED = 4;

	private final byte kind;

	private final @Nullable ContentCipher cipher;

	private final int maxContent;

	private final @Nullable Instant migrationEnd;

	private final InstantSource clock;

	private EnvelopeCodec(byte kind, @Nullable ContentCipher cipher, int maxContent, @Nullable Instant migrationEnd,
			InstantSource clock) {
		this.kind = kind;
		this.cipher = cipher;
		this.maxContent = maxContent;
		this.migrationEnd = migrationEnd;
		this.clock = clock;
	}

	/**
	 * Creates a codec that stores content unchanged.
	 * @param readable decrypts older content, {@code null} if none was encrypted
	 * @return the codec
	 */
	public static EnvelopeCodec plain(@Nullable ContentCipher readable) {
		return new EnvelopeCodec(PLAIN, readable, MAX_CONTENT, null, InstantSource.system());
	}

	/**
	 * Creates a codec that compresses content.
	 * @param readable decrypts older content, {@code null} if none was encrypted
	 * @return the codec
	 */
	public static EnvelopeCodec gzip(@Nullable ContentCipher readable) {
		return new EnvelopeCodec(GZIP, readable, MAX_CONTENT, null, InstantSource.system());
	}

	/**
	 * Creates a codec that compresses and encrypts content, and reads no other content.
	 * @param cipher encrypts and decrypts
	 * @return the codec
	 */
	public static EnvelopeCodec encrypting(ContentCipher cipher) {
		return new EnvelopeCodec(ENCRYPTED, cipher, MAX_CONTENT, null, InstantSource.system());
	}

	/**
	 * Returns this codec with another limit: larger content is neither packed nor
	 * unpacked.
	 * @param bytes the maximum size of content in bytes before packing
	 * @return a new codec
	 */
	public EnvelopeCodec withMaxContent(int bytes) {
		return new EnvelopeCodec(this.kind, this.cipher, bytes, this.migrationEnd, this.clock);
	}

	/**
	 * Returns this codec, which also reads unauthenticated content during a migration:
	 * content of an earlier configuration, and any other content of the table.
	 * @param end the end of the migration
	 * @param clock the source of the time
	 * @return a new codec
	 */
	public EnvelopeCodec acceptingUnauthenticatedUntil(Instant end, InstantSource clock) {
		return new EnvelopeCodec(this.kind, this.cipher, this.maxContent, end, clock);
	}

	@Override
	public byte[] encode(ResponseCodec.Context context, byte[] content) {
		return encode(context, NOTHING, Body.of(content));
	}

	/**
	 * Encodes content in two pieces.
	 */
	byte[] encode(ResponseCodec.Context context, byte[] head, Body body) {
		return switch (this.kind) {
			case PLAIN -> join(new byte[] { PLAIN }, head, body);
			case GZIP -> compress(new byte[] { GZIP }, head, body);
			default -> join(new byte[] { ENCRYPTED }, NOTHING,
					Body.of(requireCipher().encrypt(context, compress(NOTHING, head, body))));
		};
	}

	/**
	 * Returns whether content is stored as it is, behind its mark.
	 */
	boolean isUnchanged(byte[] stored) {
		return this.kind != ENCRYPTED && stored.length > 0 && stored[0] == PLAIN;
	}

	@Override
	public byte[] decode(ResponseCodec.Context context, byte[] stored) {
		if (stored.length == 0) {
			throw new NotReplayableException(null);
		}
		byte found = stored[0];
		if (found != ENCRYPTED && this.kind == ENCRYPTED) {
			requireMigration();
		}
		return switch (found) {
			case PLAIN -> Arrays.copyOfRange(stored, 1, stored.length);
			case GZIP -> decompress(new ByteArrayInputStream(stored, 1, stored.length - 1));
			case ENCRYPTED -> decompress(new ByteArrayInputStream(
					requireCipher().decrypt(context, Arrays.copyOfRange(stored, 1, stored.length))));
			default -> throw new NotReplayableException(null);
		};
	}

	private void requireMigration() {
		if (this.migrationEnd == null || !this.clock.instant().isBefore(this.migrationEnd)) {
			throw new NotReplayableException(new IllegalStateException(
					"The content was not encrypted by this version, and idempotency.codec.type is aes-gcm"));
		}
	}

	private ContentCipher requireCipher() {
		if (this.cipher == null) {
			throw new NotReplayableException(
					new IllegalStateException("The content is encrypted and no keys are configured"));
		}
		return this.cipher;
	}

	static byte[] join(byte[] kind, byte[] head, Body body) {
		int start = kind.length + head.length;
		byte[] joined = Arrays.copyOf(kind, start + Math.toIntExact(body.size()));
		System.arraycopy(head, 0, joined, kind.length, head.length);
		body.copyTo(joined, start);
		return joined;
	}

	private byte[] compress(byte[] kind, byte[] head, Body body) {
		long length = head.length + body.size();
		if (length > this.maxContent) {
			throw new IllegalStateException("A content of " + length + " bytes cannot be stored: the largest has "
					+ this.maxContent + " bytes. Store it elsewhere, and a reference to it here.");
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) length / 2 + 64);
		bytes.writeBytes(kind);
		try (OutputStream out = new FastGzip(bytes)) {
			out.write(head);
			body.writeTo(out);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	private byte[] decompress(ByteArrayInputStream content) {
		try (GZIPInputStream in = new GZIPInputStream(content)) {
			byte[] unpacked = in.readNBytes(this.maxContent);
			if (unpacked.length == this.maxContent && in.read() != -1) {
				throw new IOException("The content has more than " + this.maxContent + " bytes");
			}
			return unpacked;
		}
		catch (IOException ex) {
			throw new NotReplayableException(ex);
		}
	}

	/**
	 * GZIP in half the time of the default level, with a tenth more bytes.
	 */
	private static final class FastGzip extends GZIPOutputStream {

		FastGzip(OutputStream out) throws IOException {
			super(out);
			this.def.setLevel(Deflater.BEST_SPEED);
		}

	}

}
