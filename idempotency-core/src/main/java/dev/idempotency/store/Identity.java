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
package dev.idempotency.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The key of a record: the SHA-256 digest of namespace, tenant, account, scope and key.
 * The raw key is not recoverable from it.
 */
public final class Identity implements Comparable<Identity> {

	private static final int LENGTH = 32;

	private final byte[] digest;

	private final byte[] account;

	/**
	 * Creates an identity.
	 * @param digest the digest, 32 bytes
	 * @param account a digest of (namespace, tenant, account), by which operators find
	 * all records of an account
	 */
	public Identity(byte[] digest, byte[] account) {
		if (digest.length != LENGTH) {
			throw new IllegalArgumentException("An identity has " + LENGTH + " bytes, not " + digest.length);
		}
		this.digest = digest.clone();
		this.account = account.clone();
	}

	/**
	 * Returns the digest.
	 * @return a copy, 32 bytes
	 */
	public byte[] digest() {
		return this.digest.clone();
	}

	/**
	 * Returns the digest of the account.
	 * @return a copy
	 */
	public byte[] account() {
		return this.account.clone();
	}

	/**
	 * Returns the first 64 bits, for locks that are identified by a number.
	 * @return a number that is the same on every node
	 */
	public long lockKey() {
		return ByteBuffer.wrap(this.digest).getLong();
	}

	/**
	 * Compares the digests as unsigned numbers, as databases order them.
	 * @param other the other identity
	 */
	@Override
	public int compareTo(Identity other) {
		return Arrays.compareUnsigned(this.digest, other.digest);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof Identity identity && Arrays.equals(this.digest, identity.digest);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.digest);
	}

	/**
	 * Returns a short form for logs.
	 * @return the first 48 bits in hexadecimal
	 */
	@Override
	public String toString() {
		return HexFormat.of().formatHex(this.digest, 0, 6);
	}

}
