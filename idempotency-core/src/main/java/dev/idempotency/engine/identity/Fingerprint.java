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
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Identity;

/**
 * The fingerprint of a request, which distinguishes a retry from another request with the
 * same key: a digest of its meaning and, if the meaning is found by parsing, a digest of
 * its bytes. An identical retry is recognised by its bytes and is not parsed; any other
 * is compared by its meaning.
 * <p>
 * Both digests contain the identity and the handler: equal requests of two accounts have
 * nothing in common, and two handlers of one path never answer for each other.
 */
public final class Fingerprint {

	/**
	 * Length of the stored digest of a meaning, with the byte that names its method.
	 */
	private static final int LENGTH = 33;

	private static final byte[] NONE = {};

	private final DigestKeys keys;

	private final MessageDigest digest;

	private final byte[] identity;

	private final byte[] handler;

	private final byte[] sent;

	private Supplier<byte[]> meaning;

	private byte @Nullable [] bytes;

	/**
	 * Creates the fingerprint of a request.
	 * @param keys digests it, and verifies it after a rotation of secrets
	 * @param identity its identity
	 * @param handler its handler
	 * @param sent a digest of the content as it was sent, {@code null} if its meaning is
	 * not parsed
	 * @param meaning supplies a digest of the meaning of the content, when it is needed
	 */
	Fingerprint(DigestKeys keys, Identity identity, String handler, byte @Nullable [] sent, Supplier<byte[]> meaning) {
		this.keys = keys;
		this.digest = keys.fingerprints();
		this.identity = identity.digest();
		this.handler = handler.getBytes(StandardCharsets.UTF_8);
		this.sent = (sent != null) ? digest(this.digest, sent) : NONE;
		this.meaning = meaning;
	}

	private Fingerprint(byte[] stored) {
		this.keys = DigestKeys.none();
		this.digest = this.keys.fingerprints();
		this.identity = NONE;
		this.handler = NONE;
		this.sent = NONE;
		this.meaning = () -> NONE;
		this.bytes = stored;
	}

	/**
	 * Returns a stored fingerprint, which matches only its meaning.
	 * @param stored the stored bytes
	 * @return the fingerprint
	 */
	public static Fingerprint of(byte[] stored) {
		return new Fingerprint(stored);
	}

	private byte[] digest(MessageDigest digest, byte[] content) {
		DigestKeys.update(digest, this.identity, this.handler, content);
		return digest.digest();
	}

	/**
	 * Returns the bytes to store: the digest of the meaning, and behind it the digest of
	 * the bytes, if there is one. Computes what has not been computed.
	 * @return the bytes, not to be changed
	 */
	public synchronized byte[] bytes() {
		if (this.bytes == null) {
			this.bytes = stored(this.digest, this.sent);
		}
		return this.bytes;
	}

	private byte[] stored(MessageDigest digest, byte[] sent) {
		byte[] content = this.meaning.get();
		// Releases what it was parsed from.
		this.meaning = () -> content;
		return ByteBuffer.allocate(LENGTH + sent.length)
			.put(this.keys.method())
			.put(digest(digest, content))
			.put(sent)
			.array();
	}

	/**
	 * Returns whether a stored fingerprint belongs to this request.
	 * @param stored the stored bytes
	 * @return whether both are the same request
	 */
	public boolean matches(byte[] stored) {
		if (isSentAs(stored)) {
			return true;
		}
		byte[] other = meaningOf(stored);
		return MessageDigest.isEqual(meaningOf(bytes()), other) || isStoredBeforeRotation(other);
	}

	private boolean isSentAs(byte[] stored) {
		return this.sent.length > 0 && stored.length == LENGTH + this.sent.length
				&& MessageDigest.isEqual(Arrays.copyOfRange(stored, LENGTH, stored.length), this.sent);
	}

	private synchronized boolean isStoredBeforeRotation(byte[] other) {
		for (MessageDigest earlier : this.keys.earlierFingerprints()) {
			if (MessageDigest.isEqual(stored(earlier, NONE), other)) {
				return true;
			}
		}
		return false;
	}

	private static byte[] meaningOf(byte[] stored) {
		return (stored.length > LENGTH) ? Arrays.copyOf(stored, LENGTH) : stored;
	}

	/**
	 * Returns whether this request would be stored with exactly these bytes.
	 */
	public boolean isStoredAs(byte[] stored) {
		return MessageDigest.isEqual(bytes(), stored);
	}

}
