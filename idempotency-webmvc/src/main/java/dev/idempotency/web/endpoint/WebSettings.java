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
package dev.idempotency.web.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.account.AnonymousAccess;

/**
 * The settings of the HTTP side.
 *
 * @param header name of the header that carries the key
 * @param syntax accepted spellings of the key
 * @param keyPattern the pattern that a whole key has to match, {@code null} for anything
 * @param anonymous the treatment of anonymous callers
 * @param includedHeaders request headers that count for the fingerprint
 * @param excludedPointers JSON pointers of values that do not count
 * @param commandHeaders request headers that are kept for the completer
 * @param excludedMembers JSON pointers of members with which a request is not kept for
 * the completer
 * @param excludedParameters parameters of forms and queries that are not kept for the
 * completer
 * @param marker header that marks a replay, empty for none
 * @param deniedHeaders response headers that are not stored
 * @param maxRequestBody largest request body that is buffered, in bytes
 * @param maxResponseBody largest response body that is stored, in bytes
 * @param documentation address of the documentation, empty for none
 * @param problemBase start of the URIs of all problem types
 * @param formWait the time that a form waits while its first delivery is running
 * @param sessionParameters names of the path parameters that carry a session id
 */
public record WebSettings(String header, HeaderSyntax syntax, @Nullable Pattern keyPattern, AnonymousAccess anonymous,
		List<String> includedHeaders, List<String> excludedPointers, List<String> commandHeaders,
		List<String> excludedMembers, List<String> excludedParameters, String marker, List<String> deniedHeaders,
		int maxRequestBody, int maxResponseBody, String documentation, String problemBase, Duration formWait,
		Set<String> sessionParameters) {
}
