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
package dev.idempotency.cache;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.StoredRecord;

/**
 * A record as a shared cache holds it. The first byte is the format's version: what has
 * another one, or is not of this form, is no entry.
 *
 * @param end the time at which it ends, by the database's clock
 * @param stored the record
 */
record SharedEntry(Instant end, StoredRecord stored) {

	private static final byte VERSION = 1;

	static byte[] write(StoredRecord stored, Instant end) {
		StoredAnswer answer = Objects.requireNonNull(stored.answer(), "The record is not finished");
		byte[] content = answer.content();
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(((content != null) ? content.length : 0) + 64);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeByte(VERSION);
			out.writeLong(end.toEpochMilli());
			out.writeShort(stored.fingerprint().length);
			out.write(stored.fingerprint());
			out.writeShort(answer.status());
			out.writeInt((content != null) ? content.length : -1);
			if (content != null) {
				out.write(content);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	/**
	 * Reads an entry.
	 * @return the entry, or {@code null} if the value is none
	 */
	static @Nullable SharedEntry read(@Nullable Object value) {
		if (!(value instanceof byte[] bytes)) {
			return null;
		}
		try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
			if (in.readByte() != VERSION) {
				return null;
			}
			Instant end = Instant.ofEpochMilli(in.readLong());
			byte[] fingerprint = readBytes(in, in.readUnsignedShort());
			short status = in.readShort();
			int length = in.readInt();
			byte[] content = (length >= 0) ? readBytes(in, length) : null;
			StoredAnswer answer = new StoredAnswer(status, content);
			return (in.available() == 0) ? new SharedEntry(end, new StoredRecord(fingerprint, answer, Duration.ZERO))
					: null;
		}
		catch (IOException ex) {
			return null;
		}
	}

	private static byte[] readBytes(DataInputStream in, int length) throws IOException {
		byte[] bytes = in.readNBytes(length);
		if (bytes.length != length) {
			throw new IOException("Cut off");
		}
		return bytes;
	}

}
