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

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The fingerprint of a request, which distinguishes a retry from another request with the
 * same key: a digest of its meaning and, if the meaning is found by parsing, a digest of
 * its bytes. An identical retry is recognised by its bytes and is not parsed; any other
 * is compared by its meaning.
 */
public final class Fingerprint {

	/**
	 * Length of a digest with its version.
	 */
	static final int LENGTH = 33;

	private final byte @Nullable [] sent;

	private final Supplier<byte[]> meaning;

	private final Supplier<List<byte[]>> earlier;

	private volatile byte @Nullable [] bytes;

	/**
	 * Creates a fingerprint.
	 * @param sent the digest of the bytes, {@code null} if the meaning is not parsed
	 * @param meaning supplies the digest of the meaning, when it is first needed
	 * @param earlier supplies the other digests of this meaning that may be stored, if
	 * the first differs
	 */
	Fingerprint(byte @Nullable [] sent, Supplier<byte[]> meaning, Supplier<List<byte[]>> earlier) {
		this.sent = sent;
		this.meaning = meaning;
		this.earlier = earlier;
	}

	/**
	 * Returns a stored fingerprint, which matches only its meaning.
	 * @param stored the stored bytes
	 * @return the fingerprint
	 */
	public static Fingerprint of(byte[] stored) {
		Fingerprint fingerprint = new Fingerprint(null, () -> meaningOf(stored), List::of);
		fingerprint.bytes = stored;
		return fingerprint;
	}

	/**
	 * Returns the bytes to store: the digest of the meaning, and behind it the digest of
	 * the bytes, if there is one. Computes what has not been computed.
	 * @return the bytes, not to be changed
	 */
	public byte[] bytes() {
		byte[] computed = this.bytes;
		if (computed == null) {
			computed = this.meaning.get();
			if (this.sent != null) {
				int length = computed.length;
				computed = Arrays.copyOf(computed, length + this.sent.length);
				System.arraycopy(this.sent, 0, computed, length, this.sent.length);
			}
			this.bytes = computed;
		}
		return computed;
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
		return MessageDigest.isEqual(meaningOf(bytes()), other)
				|| this.earlier.get().stream().anyMatch((digest) -> MessageDigest.isEqual(digest, other));
	}

	private boolean isSentAs(byte[] stored) {
		return this.sent != null && stored.length == LENGTH + this.sent.length
				&& MessageDigest.isEqual(Arrays.copyOfRange(stored, LENGTH, stored.length), this.sent);
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
