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

	private static final int SHORT = 64;

	private static final int ABSENT = 0;

	private static final int PRESENT = 1;

	private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

	private byte[] bytes;

	private int size;

	CanonicalBuffer(int capacity) {
		this.bytes = new byte[capacity];
	}

	void put(int value) {
		if (this.size == this.bytes.length) {
			grow(1);
		}
		this.bytes[this.size++] = (byte) value;
	}

	void putInt(int value) {
		if (this.bytes.length - this.size < Integer.BYTES) {
			grow(Integer.BYTES);
		}
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
		if (this.bytes.length - this.size < value.length) {
			grow(value.length);
		}
		System.arraycopy(value, 0, this.bytes, this.size, value.length);
		this.size += value.length;
	}

	/** Writes the result of a digest, which is reset. */
	void putDigest(MessageDigest digest) {
		int length = digest.getDigestLength();
		if (this.bytes.length - this.size < length) {
			grow(length);
		}
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

	void putText(String value) {
		putText(value.toCharArray(), 0, value.length());
	}

	/**
	 * Writes the number of characters, and each character separately, including the
	 * halves of a surrogate pair: {@link String#getBytes} would turn every unpaired half
	 * into the same question mark.
	 */
	void putText(char[] value, int offset, int length) {
		// Three bytes at most for each character, which are not counted in a short text.
		long encoded = Integer.BYTES + ((length <= SHORT) ? 3L * length : encodedLength(value, offset, length));
		if (this.bytes.length - this.size < encoded) {
			grow(encoded);
		}
		byte[] target = this.bytes;
		INT.set(target, this.size, length);
		int at = this.size + Integer.BYTES;
		for (int i = offset; i < offset + length; i++) {
			char c = value[i];
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
		}
		this.size = at;
	}

	private static long encodedLength(char[] value, int offset, int length) {
		long encoded = length;
		for (int i = offset; i < offset + length; i++) {
			if (value[i] >= 0x80) {
				encoded += (value[i] < 0x800) ? 1 : 2;
			}
		}
		return encoded;
	}

	/** Adds the bytes to a digest. */
	void update(MessageDigest digest) {
		digest.update(this.bytes, 0, this.size);
	}

	/** Adds a part of the bytes to a digest. */
	void update(MessageDigest digest, int start, int end) {
		digest.update(this.bytes, start, end - start);
	}

	/** Makes room for bytes whose number is known before they are written. */
	void reserve(int additional) {
		if (this.bytes.length - this.size < additional) {
			grow(additional);
		}
	}

	int size() {
		return this.size;
	}

	void truncate(int newSize) {
		this.size = newSize;
	}

	/** Returns a copy of the bytes. */
	byte[] toBytes() {
		return Arrays.copyOf(this.bytes, this.size);
	}

	private void grow(long additional) {
		this.bytes = Arrays.copyOf(this.bytes,
				Math.toIntExact(Math.max(this.size + additional, 2L * this.bytes.length)));
	}

}
