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

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;

import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.exception.NotReplayableException;

/**
 * AES-256-GCM (NIST SP 800-38D) with named keys. One key encrypts and all decrypt, so
 * that keys can be rotated.
 * <ol>
 * <li>Each content is encrypted under a separate key and nonce, derived from the named
 * key and 32 random bytes (HKDF, RFC 5869). The limit of 2<sup>32</sup> random nonces for
 * a key therefore does not apply.</li>
 * <li>The place of the content is authenticated with it: namespace, table and column,
 * identity, fingerprint and status.</li>
 * <li>So is its expiry: a row with a changed expiry does not decode.</li>
 * </ol>
 */
public final class ContentCipher {

	private static final String TRANSFORMATION = "AES/GCM/NoPadding";

	private static final int KEY_LENGTH = 32;

	private static final int NONCE_LENGTH = 12;

	private static final int SALT_LENGTH = 32;

	private static final int TAG_BITS = 128;

	private static final byte[] INFO = "dev.idempotency AES-256-GCM content".getBytes(StandardCharsets.US_ASCII);

	private static final long UNLIMITED = Long.MAX_VALUE;

	/**
	 * Tolerance for the difference between the clocks of this node and of the database,
	 * by which records expire.
	 */
	static final Duration TOLERANCE = Duration.ofHours(1);

	private final Map<String, SecretKey> keys;

	private final String activeKey;

	private final InstantSource clock;

	private final SecureRandom random = new SecureRandom();

	/**
	 * Creates a cipher.
	 * @param keys AES keys by their id, at most 255 bytes of UTF-8 each
	 * @param activeKey the id of the key that encrypts
	 */
	public ContentCipher(Map<String, SecretKey> keys, String activeKey) {
		this(keys, activeKey, InstantSource.system());
	}

	ContentCipher(Map<String, SecretKey> keys, String activeKey, InstantSource clock) {
		if (!keys.containsKey(activeKey)) {
			throw new IllegalArgumentException("There is no key '" + activeKey + "'");
		}
		this.keys = Map.copyOf(keys);
		this.activeKey = activeKey;
		this.clock = clock;
	}

	byte[] encrypt(ResponseCodec.Context context, byte[] content) {
		byte[] id = this.activeKey.getBytes(StandardCharsets.UTF_8);
		byte[] salt = new byte[SALT_LENGTH];
		this.random.nextBytes(salt);
		Duration timeToLive = context.timeToLive();
		long end = (timeToLive != null) ? this.clock.instant().plus(timeToLive).toEpochMilli() : UNLIMITED;
		byte[] header = ByteBuffer.allocate(1 + id.length + SALT_LENGTH + Long.BYTES)
			.put((byte) id.length)
			.put(id)
			.put(salt)
			.putLong(end)
			.array();
		try {
			Cipher cipher = cipher(Cipher.ENCRYPT_MODE, this.activeKey, salt);
			cipher.updateAAD(header);
			cipher.updateAAD(context.associatedData());
			byte[] encrypted = Arrays.copyOf(header, header.length + cipher.getOutputSize(content.length));
			cipher.doFinal(content, 0, content.length, encrypted, header.length);
			return encrypted;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("The content cannot be encrypted", ex);
		}
	}

	byte[] decrypt(ResponseCodec.Context context, byte[] stored) {
		try {
			ByteBuffer buffer = ByteBuffer.wrap(stored);
			String id = readId(buffer);
			byte[] salt = read(buffer, SALT_LENGTH);
			long end = buffer.getLong();
			Cipher cipher = cipher(Cipher.DECRYPT_MODE, id, salt);
			cipher.updateAAD(stored, 0, buffer.position());
			cipher.updateAAD(context.associatedData());
			byte[] content = cipher.doFinal(stored, buffer.position(), buffer.remaining());
			if (end != UNLIMITED && this.clock.instant().isAfter(Instant.ofEpochMilli(end).plus(TOLERANCE))) {
				throw new GeneralSecurityException("The content has expired, although its row has not");
			}
			return content;
		}
		// The GCM of the JDK throws a ProviderException if the content is shorter than a
		// tag.
		catch (GeneralSecurityException | ProviderException | BufferUnderflowException ex) {
			throw new NotReplayableException(ex);
		}
	}

	private Cipher cipher(int mode, String id, byte[] salt) throws GeneralSecurityException {
		byte[] derived = DigestKeys.derive(key(id).getEncoded(), salt, INFO, KEY_LENGTH + NONCE_LENGTH);
		try {
			Cipher cipher = Cipher.getInstance(TRANSFORMATION);
			cipher.init(mode, new SecretKeySpec(derived, 0, KEY_LENGTH, "AES"),
					new GCMParameterSpec(TAG_BITS, derived, KEY_LENGTH, NONCE_LENGTH));
			return cipher;
		}
		finally {
			Arrays.fill(derived, (byte) 0);
		}
	}

	private SecretKey key(String id) throws GeneralSecurityException {
		SecretKey key = this.keys.get(id);
		if (key == null) {
			throw new GeneralSecurityException("The key '" + id + "' is not configured");
		}
		return key;
	}

	private static String readId(ByteBuffer buffer) {
		return new String(read(buffer, Byte.toUnsignedInt(buffer.get())), StandardCharsets.UTF_8);
	}

	private static byte[] read(ByteBuffer buffer, int length) {
		byte[] bytes = new byte[length];
		buffer.get(bytes);
		return bytes;
	}

}
