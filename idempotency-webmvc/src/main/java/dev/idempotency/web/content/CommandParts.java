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
package dev.idempotency.web.content;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.web.endpoint.SensitiveNames;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.key.KeyReader;
import dev.idempotency.web.key.QueryNames;

/**
 * The parts of a request that are stored until it has an answer.
 *
 * @param headers the names of the stored headers
 * @param excludedMembers the JSON members that are not stored
 * @param excludedParameters the names of the parameters of forms and queries that are not
 * stored, in lower case, in addition to those that carry credentials
 * @param sensitive the names that are never stored, and the ids of sessions in paths
 */
public record CommandParts(Set<String> headers, ExcludedMembers excludedMembers, Set<String> excludedParameters,
		SensitiveNames sensitive) {

	public static CommandParts of(WebSettings settings, SensitiveNames sensitive) {
		Set<String> headers = new LinkedHashSet<>(HttpCommand.HEADERS);
		headers.addAll(settings.includedHeaders());
		headers.addAll(settings.commandHeaders());
		return new CommandParts(headers, ExcludedMembers.of(settings.excludedMembers()),
				Stream.concat(Stream.of(KeyReader.FORM_FIELD), settings.excludedParameters().stream())
					.map((name) -> name.toLowerCase(Locale.ROOT))
					.collect(Collectors.toUnmodifiableSet()),
				sensitive);
	}

	/**
	 * Returns whether a body may be stored.
	 * @param contentType its media type
	 * @param body the body
	 */
	public boolean allow(@Nullable String contentType, byte[] body) {
		return this.excludedMembers.allow(contentType, body);
	}

	/**
	 * Returns the parameters that are stored.
	 */
	Map<String, List<String>> parameters(Map<String, List<String>> parameters) {
		Map<String, List<String>> kept = new LinkedHashMap<>(parameters);
		kept.keySet().removeIf((name) -> !isKept(name));
		return kept;
	}

	/**
	 * Returns a path without the session id that a container may have written into it.
	 */
	String uri(String uri) {
		return this.sensitive.removeFrom(uri);
	}

	/**
	 * Returns the part of a query that is stored, as it was sent.
	 */
	@Nullable String query(@Nullable String query) {
		return (query != null) ? Arrays.stream(query.split("&"))
			.filter((pair) -> isKept(QueryNames.of(pair)))
			.collect(Collectors.joining("&")) : null;
	}

	private boolean isKept(String parameter) {
		return !SensitiveNames.isCredentialParameter(parameter)
				&& !this.excludedParameters.contains(parameter.toLowerCase(Locale.ROOT));
	}

}
