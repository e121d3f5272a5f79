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
package dev.idempotency.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.NotReplayableException;

/**
 * A codec for stored content, which compresses or encrypts it. Used for responses, and
 * for all other stored content of requests: commands, results of steps, payloads of jobs
 * and events. Declared as a bean it replaces the one that {@code idempotency.codec}
 * configures.
 */
public interface ResponseCodec {

	/**
	 * Encodes content for the store.
	 * @param context the place of the content; authenticated encryption binds the content
	 * to it
	 * @param content the content
	 * @return the bytes to store, at least one
	 */
	byte[] encode(Context context, byte[] content);

	/**
	 * Decodes content written by {@link #encode}, including content of earlier
	 * configurations whose rows still exist. A codec that encrypts must refuse content
	 * that it cannot authenticate: otherwise anyone with write access to the table would
	 * decide what is replayed.
	 * @param context the place of the content
	 * @param stored the stored bytes
	 * @return the content
	 * @throws NotReplayableException if it cannot be decoded
	 */
	byte[] decode(Context context, byte[] stored);

	/**
	 * The place of stored content: the application, the table and the row that hold it,
	 * and values of that row. A codec that encrypts authenticates
	 * {@link #associatedData()} with the content, so that content does not decode if it
	 * was moved to another application, table, column, row or account, or if those values
	 * were changed.
	 *
	 * @param namespace the name that separates the applications in one database
	 * @param purpose the purpose of the content
	 * @param identity the digest of the row, not empty; not to be changed
	 * @param fingerprint the fingerprint of the request in the row, empty if there is
	 * none; not to be changed
	 * @param status the HTTP status of a response, otherwise 0
	 * @param timeToLive the time from now on during which a response that is being
	 * encoded may be replayed; {@code null} without a limit, and always when decoding,
	 * since the encoded form contains it
	 */
	record Context(String namespace, Purpose purpose, byte[] identity, byte[] fingerprint, int status,
			@Nullable Duration timeToLive) {

		/**
		 * Kinds of stored content. Each has one column, whose name is part of the
		 * associated data.
		 */
		public enum Purpose {

			/**
			 * Headers and body of a response, or a return value.
			 */
			ANSWER("idempotency_record.content"),

			/**
			 * A request that the completer can repeat.
			 */
			COMMAND("idempotency_lease.command"),

			/**
			 * The results of the steps of a request in phases.
			 */
			STEPS("idempotency_lease.steps"),

			/**
			 * The payload of a staged job. A dead job keeps it unchanged.
			 */
			JOB("idempotency_job.task_data"),

			/**
			 * Headers and payload of an event in the outbox.
			 */
			EVENT("idempotency_outbox.content");

			private final String column;

			Purpose(String column) {
				this.column = column;
			}

		}

		/**
		 * Returns the associated data of authenticated encryption (NIST SP 800-38D
		 * section 4): all parts that are the same when encoding and when decoding, each
		 * with its length.
		 * @return a new array
		 */
		public byte[] associatedData() {
			byte[] application = this.namespace.getBytes(StandardCharsets.UTF_8);
			byte[] column = this.purpose.column.getBytes(StandardCharsets.US_ASCII);
			int parts = application.length + column.length + this.identity.length + this.fingerprint.length;
			return ByteBuffer.allocate(5 * Integer.BYTES + parts)
				.putInt(application.length)
				.put(application)
				.putInt(column.length)
				.put(column)
				.putInt(this.identity.length)
				.put(this.identity)
				.putInt(this.fingerprint.length)
				.put(this.fingerprint)
				.putInt(this.status)
				.array();
		}

	}

}
