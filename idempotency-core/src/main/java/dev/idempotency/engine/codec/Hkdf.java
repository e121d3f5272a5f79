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

import java.security.GeneralSecurityException;
import java.util.Arrays;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key derivation function of RFC 5869 with SHA-256. Java has one from version 25 on.
 */
public final class Hkdf {

	private static final String HMAC = "HmacSHA256";

	private static final int HASH_LENGTH = 32;

	private Hkdf() {
	}

	/**
	 * Derives a key.
	 * @param secret the input keying material
	 * @param salt random or empty
	 * @param info the purpose of the key
	 * @param length bytes of the key, at most 8160
	 * @return the key
	 */
	public static byte[] derive(byte[] secret, byte[] salt, byte[] info, int length) {
		byte[] pseudoRandomKey = mac((salt.length > 0) ? salt : new byte[HASH_LENGTH], secret);
		byte[] key = new byte[length];
		byte[] block = {};
		int counter = 1;
		for (int written = 0; written < length; written += HASH_LENGTH) {
			block = mac(pseudoRandomKey, block, info, new byte[] { (byte) counter++ });
			System.arraycopy(block, 0, key, written, Math.min(HASH_LENGTH, length - written));
		}
		Arrays.fill(pseudoRandomKey, (byte) 0);
		return key;
	}

	/**
	 * HMAC-SHA-256 (RFC 2104) of several parts, one after the other.
	 */
	public static byte[] mac(byte[] key, byte[]... parts) {
		try {
			Mac mac = Mac.getInstance(HMAC);
			mac.init(new SecretKeySpec(key, HMAC));
			for (byte[] part : parts) {
				mac.update(part);
			}
			return mac.doFinal();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Every Java platform has " + HMAC, ex);
		}
	}

}
