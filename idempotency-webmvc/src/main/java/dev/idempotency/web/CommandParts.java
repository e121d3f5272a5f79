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
package dev.idempotency.web;

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
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

import dev.idempotency.web.endpoint.SensitiveNames;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.key.KeyReader;

/**
 * The parts of a request that are stored until it has a response.
 *
 * @param headers the names of the stored headers
 * @param excludedMembers the JSON members that are not stored, such as the security code
 * of a card: a request that has one of them is not stored at all, since its handler would
 * run without it
 * @param excludedParameters the names of the parameters of forms and queries that are not
 * stored, in lower case, in addition to those that carry credentials
 */
record CommandParts(Set<String> headers, List<JsonPointer> excludedMembers, Set<String> excludedParameters) {

	private static final JsonMapper MAPPER = JsonMapper.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	static CommandParts of(WebSettings settings) {
		Set<String> headers = new LinkedHashSet<>(HttpCommand.HEADERS);
		headers.addAll(settings.includedHeaders());
		headers.addAll(settings.commandHeaders());
		return new CommandParts(headers, settings.excludedMembers().stream().map(JsonPointer::compile).toList(),
				Stream.concat(Stream.of(KeyReader.FORM_FIELD), settings.excludedParameters().stream())
					.map((name) -> name.toLowerCase(Locale.ROOT))
					.collect(Collectors.toUnmodifiableSet()));
	}

	/**
	 * Returns whether a body may be stored: if it is known to have no excluded member.
	 * @param contentType its media type
	 * @param body the body
	 */
	boolean allow(@Nullable String contentType, byte[] body) {
		return this.excludedMembers.isEmpty() || body.length == 0 || (isJson(contentType) && hasNoneExcluded(body));
	}

	private static boolean isJson(@Nullable String contentType) {
		try {
			MediaType type = (contentType != null) ? MediaType.parseMediaType(contentType) : MediaType.ALL;
			return type.equalsTypeAndSubtype(MediaType.APPLICATION_JSON) || "json".equals(type.getSubtypeSuffix());
		}
		catch (InvalidMediaTypeException ex) {
			return false;
		}
	}

	private boolean hasNoneExcluded(byte[] body) {
		try {
			JsonNode document = MAPPER.readTree(body);
			return this.excludedMembers.stream().noneMatch((pointer) -> isIn(document, pointer));
		}
		catch (JacksonException ex) {
			return false;
		}
	}

	/**
	 * Returns whether there is a member, regardless of case: the handler's mapper may
	 * ignore it.
	 */
	private static boolean isIn(JsonNode node, JsonPointer pointer) {
		if (pointer.matches()) {
			return true;
		}
		if (node.isArray()) {
			JsonNode element = node.get(pointer.getMatchingIndex());
			return element != null && isIn(element, pointer.tail());
		}
		return node.properties()
			.stream()
			.filter((member) -> member.getKey().equalsIgnoreCase(pointer.getMatchingProperty()))
			.map(Map.Entry::getValue)
			.anyMatch((value) -> isIn(value, pointer.tail()));
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
	 * Returns the part of a query that is stored, as it was sent.
	 */
	@Nullable String query(@Nullable String query) {
		return (query != null) ? Arrays.stream(query.split("&"))
			.filter((pair) -> isKept(KeyReader.parameterName(pair)))
			.collect(Collectors.joining("&")) : null;
	}

	private boolean isKept(String parameter) {
		return !SensitiveNames.isCredentialParameter(parameter)
				&& !this.excludedParameters.contains(parameter.toLowerCase(Locale.ROOT));
	}

}
