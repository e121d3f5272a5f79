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
package dev.idempotency.autoconfigure.actuator;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.operator.UnfinishedRequests.ExportedRequest;

/**
 * The content of a request.
 */
sealed interface RequestContent {

	static RequestContent of(StoredResponse answer) {
		List<String> headers = answer.headers().stream().map(HeaderField::name).distinct().toList();
		byte[] body = answer.body();
		String text = (body != null) ? text(body) : null;
		String base64 = (body != null && text == null) ? Base64.getEncoder().encodeToString(body) : null;
		return new Response(headers, text, base64);
	}

	private static @Nullable String text(byte[] body) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	/**
	 * The answer of a finished request.
	 *
	 * @param headers the names of its header fields
	 * @param body its body if it is text
	 * @param bodyBase64 its body if it is not text
	 */
	record Response(List<String> headers, @Nullable String body,
			@Nullable String bodyBase64) implements RequestContent {
	}

	/**
	 * An unfinished request.
	 *
	 * @param command the original request
	 * @param steps the results of its steps, as JSON
	 */
	record Request(ExportedRequest.@Nullable Command command, Map<String, String> steps) implements RequestContent {
	}

	/**
	 * Content that this application cannot read, for instance because a key for
	 * decryption is missing.
	 *
	 * @param unreadable {@code true}
	 */
	record Unreadable(boolean unreadable) implements RequestContent {
	}

}
