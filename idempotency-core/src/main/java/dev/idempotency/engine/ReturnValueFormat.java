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
package dev.idempotency.engine;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import dev.idempotency.engine.codec.ExactJson;
import dev.idempotency.engine.codec.ExactJson.InexactException;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.NotReplayableException;

/**
 * Return values and results of steps as JSON, by their declared type.
 */
record ReturnValueFormat(ExactJson json) {

	private static final byte[] NOTHING = "null".getBytes(StandardCharsets.UTF_8);

	ReturnValueFormat(JsonMapper mapper) {
		this(new ExactJson(mapper));
	}

	/**
	 * Writes a value as a response.
	 * @param operation the operation, for the message
	 * @param type the declared type
	 * @param value the value
	 * @return a response without a status
	 * @throws IllegalStateException if the value cannot be written and read again without
	 * a difference
	 */
	StoredResponse toResponse(String operation, Type type, @Nullable Object value) {
		return new StoredResponse(0, List.of(), toJson(operation, type, value));
	}

	/**
	 * Writes a value that can be read again without a difference.
	 * @param what the operation or step, for the message
	 * @param type the declared type
	 * @param value the value
	 * @return JSON
	 * @throws IllegalStateException if the value cannot be written and read again without
	 * a difference
	 */
	byte[] toJson(String what, Type type, @Nullable Object value) {
		if (isVoid(type)) {
			return NOTHING.clone();
		}
		try {
			return this.json.write(type, value);
		}
		catch (InexactException ex) {
			throw new IllegalStateException(
					"The return value of " + what + ", a " + type.getTypeName()
							+ ", cannot be stored as JSON and read again, so its effects are rolled back: "
							+ ex.reason() + ". Return a value that Jackson reads and writes without loss, or nothing.",
					ex);
		}
	}

	@Nullable Object read(StoredResponse response, Type type) {
		return read(response.content(), type);
	}

	/**
	 * Reads a value.
	 * @param json the written value
	 * @param type the declared type
	 * @param <T> the declared type
	 * @return the value
	 * @throws NotReplayableException if it can no longer be read
	 */
	@SuppressWarnings({ "unchecked", "NullAway" })
	<T extends @Nullable Object> T fromJson(byte[] json, Class<T> type) {
		return (T) read(json, type);
	}

	private @Nullable Object read(byte @Nullable [] json, Type type) {
		if (isVoid(type)) {
			return null;
		}
		try {
			return this.json.read(type, json);
		}
		catch (JacksonException ex) {
			// The class has changed since.
			throw new NotReplayableException(ex);
		}
	}

	private static boolean isVoid(Type type) {
		return type == void.class || type == Void.class;
	}

}
