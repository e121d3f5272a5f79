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
import java.util.List;
import java.util.function.Supplier;

/**
 * The fingerprint of a request: the bytes to store, and those that an earlier
 * configuration or version may have stored for the same request.
 *
 * @param bytes the bytes to store, not to be changed
 * @param earlier the other possible bytes, computed only if the first differ
 */
public record Fingerprint(byte[] bytes, Supplier<List<byte[]>> earlier) {

	/**
	 * Returns a stored fingerprint, which matches only itself.
	 * @param stored the stored bytes
	 * @return the fingerprint
	 */
	public static Fingerprint of(byte[] stored) {
		return new Fingerprint(stored, List::of);
	}

	/**
	 * Returns whether a stored fingerprint belongs to this request.
	 * @param stored the stored bytes
	 * @return whether both are the same request
	 */
	public boolean matches(byte[] stored) {
		return isStoredAs(stored)
				|| this.earlier.get().stream().anyMatch((other) -> MessageDigest.isEqual(other, stored));
	}

	/**
	 * Returns whether this request would be stored with exactly these bytes.
	 */
	public boolean isStoredAs(byte[] stored) {
		return MessageDigest.isEqual(this.bytes, stored);
	}

}
