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
package dev.idempotency.web.policy;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;

/**
 * The idempotency policy of an operation: the specification that
 * draft-ietf-httpapi-idempotency-key-header-07 section 2.5.2 asks servers to publish.
 *
 * @param methods the request methods that are protected, sorted
 * @param paths the path patterns, sorted, below the application's context path
 * @param consumes the media types of the request that the mapping names, none for any
 * @param key the format and place of the key
 * @param scope the scope, never {@link Scope#DEFAULT}
 * @param resource the resource type, empty unless the scope is {@link Scope#RESOURCE}
 * @param ttl the time that an answer is kept, counted from the moment it was stored
 * @param mode the mode, never {@link Mode#DEFAULT}
 * @param replay the answer to a duplicate of a finished request
 * @param replayMarker the response header that marks a replay, empty for none
 * @param fingerprint the compared parts of requests
 * @param problems the library's possible answers instead of the handler's, by status
 */
record OperationPolicy(List<String> methods, List<String> paths, List<String> consumes, Key key, Scope scope,
		String resource, Duration ttl, Mode mode, Replay replay, String replayMarker, Fingerprint fingerprint,
		List<Problem> problems) {

	/**
	 * The format and place of the key.
	 *
	 * @param source its place
	 * @param header the name of the request header, used with {@link KeySource#HEADER}
	 * and {@link KeySource#HEADER_OR_FORM}
	 * @param formField the name of the form field, used with
	 * {@link KeySource#HEADER_OR_FORM}
	 * @param expression the SpEL expression, {@code null} unless the source is
	 * {@link KeySource#EXPRESSION}
	 * @param syntax the accepted spellings; they do not concern expressions
	 * @param minLength least number of characters, without quotes
	 * @param maxLength greatest number of characters, without quotes
	 * @param pattern the pattern of the whole key, without quotes, {@code null} for
	 * anything
	 * @param required whether a request without a key is refused
	 */
	public record Key(KeySource source, String header, String formField, @Nullable String expression,
			HeaderSyntax syntax, int minLength, int maxLength, @Nullable Pattern pattern, boolean required) {

		boolean isInHeader() {
			return this.source == KeySource.HEADER || this.source == KeySource.HEADER_OR_FORM;
		}

	}

	/**
	 * The place of the key.
	 */
	public enum KeySource {

		/**
		 * The request header.
		 */
		HEADER,

		/**
		 * The request header, or a field of the HTML form.
		 */
		HEADER_OR_FORM,

		/**
		 * An argument of the handler, found by an expression.
		 */
		EXPRESSION,

		/**
		 * The place known to the application's own
		 * {@link dev.idempotency.web.key.KeyResolver}.
		 */
		CUSTOM

	}

	/**
	 * The parts of a request that make up its fingerprint.
	 *
	 * @param canonical whether it is the library's: method, path, query, media type and
	 * the meaning of the body. Else the application's own decides and nothing more is
	 * known
	 * @param includedHeaders request headers that count as well
	 * @param excludedPointers JSON pointers (RFC 6901) of excluded values
	 */
	public record Fingerprint(boolean canonical, List<String> includedHeaders, List<String> excludedPointers) {
	}

	/**
	 * A problem (RFC 9457) that the library answers with.
	 *
	 * @param name the last part of its type
	 * @param type the address that identifies it
	 * @param title the title
	 * @param status the status
	 * @param retryAfter whether it comes with Retry-After
	 */
	public record Problem(String name, String type, String title, int status, boolean retryAfter) {
	}

}
