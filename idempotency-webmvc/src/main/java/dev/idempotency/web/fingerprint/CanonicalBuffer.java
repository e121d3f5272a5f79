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
class CanonicalBuffer {

	private static final int ABSENT = 0;

	private static final int PRESENT = 1;

	private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

	byte[] bytes;

	int size;

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

	/** Writes the number of bytes and the bytes. */
	void putBytes(byte[] value, int offset, int length) {
		if (this.bytes.length - this.size < Integer.BYTES + (long) length) {
			grow(Integer.BYTES + (long) length);
		}
		INT.set(this.bytes, this.size, length);
		System.arraycopy(value, offset, this.bytes, this.size + Integer.BYTES, length);
		this.size += Integer.BYTES + length;
	}

	/** Writes only the bytes, whose number is known. */
	void putRaw(byte[] value, int offset, int length) {
		if (this.bytes.length - this.size < length) {
			grow(length);
		}
		System.arraycopy(value, offset, this.bytes, this.size, length);
		this.size += length;
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

	/**
	 * Writes the number of characters, and each character separately, including the
	 * halves of a surrogate pair: {@link String#getBytes} would turn every unpaired half
	 * into the same question mark.
	 */
	void putText(String value) {
		if (this.bytes.length - this.size < Integer.BYTES + value.length()) {
			grow(Integer.BYTES + value.length());
		}
		INT.set(this.bytes, this.size, value.length());
		this.size += Integer.BYTES;
		for (int i = 0; i < value.length(); i++) {
			char unit = value.charAt(i);
			if (unit < 0x80 && this.size < this.bytes.length) {
				this.bytes[this.size++] = (byte) unit;
			}
			else {
				putUnit(unit);
			}
		}
	}

	/** Writes one UTF-16 code unit, as UTF-8 would if it were a character. */
	void putUnit(char unit) {
		if (this.bytes.length - this.size < 3) {
			grow(3);
		}
		if (unit < 0x80) {
			this.bytes[this.size++] = (byte) unit;
		}
		else if (unit < 0x800) {
			this.bytes[this.size++] = (byte) (0xC0 | unit >> 6);
			this.bytes[this.size++] = (byte) (0x80 | unit & 0x3F);
		}
		else {
			this.bytes[this.size++] = (byte) (0xE0 | unit >> 12);
			this.bytes[this.size++] = (byte) (0x80 | unit >> 6 & 0x3F);
			this.bytes[this.size++] = (byte) (0x80 | unit & 0x3F);
		}
	}

	/**
	 * Writes the UTF-16 code units of a character.
	 * @return their number
	 */
	int putCharacter(int character) {
		if (Character.isBmpCodePoint(character)) {
			putUnit((char) character);
			return 1;
		}
		putUnit(Character.highSurrogate(character));
		putUnit(Character.lowSurrogate(character));
		return 2;
	}

	/**
	 * Sets the length of a text that was written before it was known.
	 */
	void setInt(int position, int value) {
		INT.set(this.bytes, position, value);
	}

	/** Reads a text back. */
	String text(int position) {
		char[] text = new char[(int) INT.get(this.bytes, position)];
		int at = position + Integer.BYTES;
		for (int i = 0; i < text.length; i++) {
			int first = this.bytes[at++];
			if (first < 0) {
				int second = this.bytes[at++] & 0x3F;
				first = ((first & 0x20) == 0) ? (first & 0x1F) << 6 | second
						: (first & 0x0F) << 12 | second << 6 | this.bytes[at++] & 0x3F;
			}
			text[i] = (char) first;
		}
		return new String(text);
	}

	/** Adds the bytes to a digest. */
	void update(MessageDigest digest) {
		digest.update(this.bytes, 0, this.size);
	}

	/** Returns a copy of the bytes. */
	byte[] toBytes() {
		return Arrays.copyOf(this.bytes, this.size);
	}

	/** Makes room for bytes before they are written. */
	void reserve(int additional) {
		if (this.bytes.length - this.size < additional) {
			grow(additional);
		}
	}

	private void grow(long additional) {
		this.bytes = Arrays.copyOf(this.bytes,
				Math.toIntExact(Math.max(this.size + additional, 2L * this.bytes.length)));
	}

}
