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

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.util.Map;

import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

import dev.idempotency.NotReplayableException;

/**
 * AES-GCM with named keys: one encrypts, all decrypt, so that keys can be rotated. The
 * identity of the record is authenticated with the answer (NIST SP 800-38D), so that an
 * answer which is copied to another record does not decrypt.
 */
public final class AnswerCipher {

	private static final String TRANSFORMATION = "AES/GCM/NoPadding";

	private static final int NONCE_LENGTH = 12;

	private static final int TAG_BITS = 128;

	private final Map<String, SecretKey> keys;

	private final String activeKey;

	private final SecureRandom random = new SecureRandom();

	/**
	 * Create a cipher.
	 * @param keys AES keys by their id, at most 255 bytes of UTF-8 each
	 * @param activeKey the id of the key that encrypts
	 */
	public AnswerCipher(Map<String, SecretKey> keys, String activeKey) {
		if (!keys.containsKey(activeKey)) {
			throw new IllegalArgumentException("There is no key '" + activeKey + "'");
		}
		this.keys = Map.copyOf(keys);
		this.activeKey = activeKey;
	}

	byte[] encrypt(byte[] identity, byte[] content) {
		byte[] id = this.activeKey.getBytes(StandardCharsets.UTF_8);
		byte[] nonce = new byte[NONCE_LENGTH];
		this.random.nextBytes(nonce);
		try {
			byte[] encrypted = cipher(Cipher.ENCRYPT_MODE, this.activeKey, nonce, identity).doFinal(content);
			return ByteBuffer.allocate(1 + id.length + NONCE_LENGTH + encrypted.length)
				.put((byte) id.length)
				.put(id)
				.put(nonce)
				.put(encrypted)
				.array();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("The answer cannot be encrypted", ex);
		}
	}

	byte[] decrypt(byte[] identity, byte[] stored) {
		try {
			ByteBuffer buffer = ByteBuffer.wrap(stored);
			String id = new String(read(buffer, Byte.toUnsignedInt(buffer.get())), StandardCharsets.UTF_8);
			byte[] nonce = read(buffer, NONCE_LENGTH);
			return cipher(Cipher.DECRYPT_MODE, id, nonce, identity).doFinal(read(buffer, buffer.remaining()));
		}
		// The JDK's GCM throws a ProviderException at less than a tag.
		catch (GeneralSecurityException | ProviderException | BufferUnderflowException ex) {
			throw new NotReplayableException(ex);
		}
	}

	private Cipher cipher(int mode, String id, byte[] nonce, byte[] identity) throws GeneralSecurityException {
		SecretKey key = this.keys.get(id);
		if (key == null) {
			throw new GeneralSecurityException("The key '" + id + "' is not configured");
		}
		Cipher cipher = Cipher.getInstance(TRANSFORMATION);
		cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
		cipher.updateAAD(identity);
		return cipher;
	}

	private static byte[] read(ByteBuffer buffer, int length) {
		byte[] bytes = new byte[length];
		buffer.get(bytes);
		return bytes;
	}

}
