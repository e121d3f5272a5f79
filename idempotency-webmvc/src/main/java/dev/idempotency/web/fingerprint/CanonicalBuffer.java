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

package dev.idempotency.web.fingerprint;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * A growing sequence of bytes in which the end of every entry is marked, so that no two
 * different sequences of entries have the same bytes.
 */
final class CanonicalBuffer {

	private static final int ABSENT = 0;

	private static final int PRESENT = 1;

	private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

	private byte[] bytes;

	private int size;

	CanonicalBuffer(int capacity) {
		this.bytes = new byte[capacity];
	}

	void put(int value) {
		ensure(1);
		this.bytes[this.size++] = (byte) value;
	}

	void putInt(int value) {
		ensure(Integer.BYTES);
		INT.set(this.bytes, this.size, value);
		this.size += Integer.BYTES;
	}

	/** Writes the length and the bytes. */
	void putBytes(byte[] value) {
		putInt(value.length);
		putRaw(value);
	}

	/** Writes only the bytes, whose number is known. */
	void putRaw(byte[] value) {
		ensure(value.length);
		System.arraycopy(value, 0, this.bytes, this.size, value.length);
		this.size += value.length;
	}

	/** Writes the result of a digest, which is reset. */
	void putDigest(MessageDigest digest) {
		int length = digest.getDigestLength();
		ensure(length);
		try {
			this.size += digest.digest(this.bytes, this.size, length);
		}
		catch (DigestException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void putNullableText(@Nullable String value) {
		put((value != null) ? PRESENT : ABSENT);
		if (value != null) {
			putText(value);
		}
	}

	/**
	 * Writes the number of characters, and each character separately, including the
	 * halves of a surrogate pair: {@link String#getBytes} would turn every unpaired half
	 * into the same question mark.
	 */
	void putText(String value) {
		int length = value.length();
		long encoded = length;
		for (int i = 0; i < length; i++) {
			encoded += further(value.charAt(i));
		}
		ensure(Integer.BYTES + encoded);
		INT.set(this.bytes, this.size, length);
		int at = this.size + Integer.BYTES;
		for (int i = 0; i < length; i++) {
			at = encode(value.charAt(i), this.bytes, at);
		}
		this.size = at;
	}

	/** Writes characters like {@link #putText(String)}. */
	void putText(char[] value, int offset, int length) {
		long encoded = length;
		for (int i = offset; i < offset + length; i++) {
			encoded += further(value[i]);
		}
		ensure(Integer.BYTES + encoded);
		INT.set(this.bytes, this.size, length);
		int at = this.size + Integer.BYTES;
		for (int i = offset; i < offset + length; i++) {
			at = encode(value[i], this.bytes, at);
		}
		this.size = at;
	}

	/** Returns the number of bytes of a character beyond the first. */
	private static int further(char c) {
		return (c < 0x80) ? 0 : (c < 0x800) ? 1 : 2;
	}

	private static int encode(char c, byte[] target, int start) {
		int at = start;
		if (c < 0x80) {
			target[at++] = (byte) c;
		}
		else if (c < 0x800) {
			target[at++] = (byte) (0xC0 | c >> 6);
			target[at++] = (byte) (0x80 | c & 0x3F);
		}
		else {
			target[at++] = (byte) (0xE0 | c >> 12);
			target[at++] = (byte) (0x80 | c >> 6 & 0x3F);
			target[at++] = (byte) (0x80 | c & 0x3F);
		}
		return at;
	}

	int size() {
		return this.size;
	}

	void truncate(int newSize) {
		this.size = newSize;
	}

	/**
	 * Returns the bytes written so far, up to {@link #size()}; valid until the next
	 * change.
	 */
	byte[] array() {
		return this.bytes;
	}

	private void ensure(long additional) {
		long needed = this.size + additional;
		if (needed > this.bytes.length) {
			this.bytes = Arrays.copyOf(this.bytes, Math.toIntExact(Math.max(needed, 2L * this.bytes.length)));
		}
	}

}
