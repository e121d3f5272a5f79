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
package dev.idempotency.engine.identity;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;

/**
 * The digests of identities and fingerprints: SHA-256 without a secret, HMAC-SHA-256 with
 * one (RFC 2104). A plain digest of a value with few unknown digits, such as a truncated
 * card number, can be found by trial; a keyed digest cannot (PCI DSS 4.0 requirement
 * 3.5.1.1).
 * <p>
 * An identity is the primary key and the lock of a request, so its secret must not change
 * while earlier requests may be retried. Fingerprints are only compared, so their secrets
 * can be rotated: the earlier ones are tried if the first does not match.
 * <p>
 * The first byte of a stored fingerprint identifies the method.
 */
public final class DigestKeys {

	private static final byte HASHED = 2;

	private static final byte KEYED = 3;

	private static final byte[] NO_SALT = {};

	private static final String HMAC = "HmacSHA256";

	private static final int HASH_LENGTH = 32;

	private final @Nullable SecretKeySpec identityKey;

	private final @Nullable SecretKeySpec checkKey;

	private final @Nullable SecretKeySpec userKey;

	/**
	 * The first key computes fingerprints, all keys verify them.
	 */
	private final List<SecretKeySpec> fingerprintKeys;

	private DigestKeys(@Nullable SecretKeySpec identityKey, @Nullable SecretKeySpec checkKey,
			@Nullable SecretKeySpec userKey, List<SecretKeySpec> fingerprintKeys) {
		this.identityKey = identityKey;
		this.checkKey = checkKey;
		this.userKey = userKey;
		this.fingerprintKeys = fingerprintKeys;
	}

	/**
	 * Creates digests without a secret.
	 * @return the digests
	 */
	public static DigestKeys none() {
		return new DigestKeys(null, null, null, List.of());
	}

	/**
	 * Creates digests with secrets.
	 * @param identity the secret of identities, which also verifies fingerprints
	 * @param fingerprints the secrets of fingerprints, the current one first; if empty,
	 * the secret of identities is used
	 * @return the digests
	 */
	public static DigestKeys of(byte[] identity, List<byte[]> fingerprints) {
		List<SecretKeySpec> keys = new ArrayList<>();
		fingerprints.forEach((secret) -> keys.add(derive(secret, "fingerprint")));
		keys.add(derive(identity, "fingerprint"));
		return new DigestKeys(derive(identity, "identity"), derive(identity, "check"), derive(identity, "user"),
				List.copyOf(keys));
	}

	private static SecretKeySpec derive(byte[] secret, String purpose) {
		byte[] info = ("dev.idempotency " + purpose).getBytes(StandardCharsets.US_ASCII);
		return new SecretKeySpec(derive(secret, NO_SALT, info, HASH_LENGTH), HMAC);
	}

	/**
	 * Derives a key with the function of RFC 5869 and SHA-256. Java provides it from
	 * version 25 on.
	 * @param secret the input keying material
	 * @param salt random or empty
	 * @param info the purpose of the key
	 * @param length the length of the key in bytes, at most 8160
	 * @return the key
	 */
	public static byte[] derive(byte[] secret, byte[] salt, byte[] info, int length) {
		byte[] salted = new Hmac(new SecretKeySpec((salt.length > 0) ? salt : new byte[HASH_LENGTH], HMAC))
			.digest(secret);
		Hmac hmac = new Hmac(new SecretKeySpec(salted, HMAC));
		Arrays.fill(salted, (byte) 0);
		byte[] key = new byte[length];
		byte[] block = {};
		int counter = 1;
		for (int written = 0; written < length; written += HASH_LENGTH) {
			hmac.update(block);
			hmac.update(info);
			hmac.update((byte) counter++);
			block = hmac.digest();
			System.arraycopy(block, 0, key, written, Math.min(HASH_LENGTH, length - written));
		}
		return key;
	}

	/**
	 * Returns a value that shows whether two nodes use the same secret. It reveals no
	 * more of the secret than an identity does.
	 * @param namespace the namespace of the identities
	 * @return 32 bytes
	 */
	public byte[] check(String namespace) {
		return digest((this.checkKey != null) ? new Hmac(this.checkKey) : sha256(), namespace);
	}

	/**
	 * Digests what is stored of a user, so that the same user is recognised later.
	 * @param parts the parts
	 * @return the digest in hexadecimal
	 */
	public String user(String... parts) {
		return HexFormat.of().formatHex(digest((this.userKey != null) ? new Hmac(this.userKey) : sha256(), parts));
	}

	/**
	 * Creates the digest of identities.
	 */
	MessageDigest identities() {
		return (this.identityKey != null) ? new Hmac(this.identityKey) : sha256();
	}

	/**
	 * Creates the digest of fingerprints.
	 */
	MessageDigest fingerprints() {
		return this.fingerprintKeys.isEmpty() ? sha256() : new Hmac(this.fingerprintKeys.get(0));
	}

	/**
	 * Creates the digests of the earlier secrets of fingerprints.
	 */
	List<MessageDigest> earlierFingerprints() {
		return this.fingerprintKeys.stream().skip(1).<MessageDigest>map(Hmac::new).toList();
	}

	/**
	 * Returns the first byte of stored fingerprints.
	 */
	byte method() {
		return this.fingerprintKeys.isEmpty() ? HASHED : KEYED;
	}

	private static byte[] digest(MessageDigest digest, String... parts) {
		for (String part : parts) {
			update(digest, bytes(part));
		}
		return digest.digest();
	}

	/**
	 * Encodes text such that different texts have different bytes. Java's encoders
	 * replace a surrogate without its partner, so a text with one is encoded as its
	 * UTF-16 code units, after a byte that UTF-8 never contains. All other text is UTF-8.
	 */
	static byte[] bytes(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (Character.isSurrogate(text.charAt(i))) {
				if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
					return units(text);
				}
				i++;
			}
		}
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] units(String text) {
		ByteBuffer units = ByteBuffer.allocate(1 + 2 * text.length()).put((byte) 0xff);
		text.chars().forEach((unit) -> units.putChar((char) unit));
		return units.array();
	}

	/**
	 * Adds parts to a digest, each preceded by its length.
	 */
	static void update(MessageDigest digest, byte[]... parts) {
		for (byte[] part : parts) {
			for (int shift = 24; shift >= 0; shift -= 8) {
				digest.update((byte) (part.length >>> shift));
			}
			digest.update(part);
		}
	}

	/**
	 * Digests parts without a secret. The digest depends on their boundaries.
	 * @param parts the parts
	 * @return 32 bytes
	 */
	public static byte[] digest(String... parts) {
		return digest(sha256(), parts);
	}

	/**
	 * Creates a digest by SHA-256.
	 * @return a new one
	 */
	public static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/**
	 * HMAC-SHA-256 as a digest.
	 */
	private static final class Hmac extends MessageDigest {

		private final Mac mac;

		Hmac(SecretKeySpec key) {
			super(HMAC);
			try {
				this.mac = Mac.getInstance(HMAC);
				this.mac.init(key);
			}
			catch (GeneralSecurityException ex) {
				throw new IllegalStateException("Every Java platform has " + HMAC, ex);
			}
		}

		@Override
		protected void engineUpdate(byte input) {
			this.mac.update(input);
		}

		@Override
		protected void engineUpdate(byte[] input, int offset, int length) {
			this.mac.update(input, offset, length);
		}

		@Override
		protected byte[] engineDigest() {
			return this.mac.doFinal();
		}

		@Override
		protected void engineReset() {
			this.mac.reset();
		}

	}

}
