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
package dev.idempotency.job.dbscheduler;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

import tools.jackson.databind.json.JsonMapper;

import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.ExactJson;
import dev.idempotency.engine.codec.ExactJson.InexactException;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.job.JobType;

/**
 * Payloads as JSON behind a byte with the format's version, encoded as answers are: what
 * the application encrypts at rest is encrypted here, too.
 */
record PayloadFormat(ExactJson json, ContentCodec codec) {

	private static final byte VERSION = 1;

	PayloadFormat(JsonMapper mapper, ContentCodec codec) {
		this(new ExactJson(mapper), codec);
	}

	/**
	 * Writes a payload that can be read again without loss.
	 */
	<T> byte[] write(UUID id, JobType<T> type, T payload) {
		try {
			byte[] json = this.json.write(type.payloadType(), payload);
			byte[] content = ByteBuffer.allocate(1 + json.length).put(VERSION).put(json).array();
			return this.codec.encode(Purpose.JOB, row(id, type), content);
		}
		catch (InexactException ex) {
			throw new IllegalArgumentException("The payload of a job of the type '" + type.name() + "', a "
					+ type.payloadType().getName() + ", cannot be written as JSON and read again: " + ex.reason()
					+ ". Stage a value that Jackson reads and writes without loss, such as a record.", ex);
		}
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	<T> T read(UUID id, JobType<T> type, byte[] stored) {
		byte[] content = this.codec.decode(Purpose.JOB, row(id, type), stored);
		if (content.length == 0 || content[0] != VERSION) {
			throw new IllegalStateException("Unknown format of the payload of job " + id);
		}
		return (T) this.json.read(type.payloadType(), Arrays.copyOfRange(content, 1, content.length));
	}

	private static byte[] row(UUID id, JobType<?> type) {
		return DigestKeys.digest(type.name(), id.toString());
	}

}
