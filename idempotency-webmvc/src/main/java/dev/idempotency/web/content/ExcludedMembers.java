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

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * JSON members that are not stored, such as the security code of a card. A request that
 * has one of them is not stored at all: its handler would run without it. Where the
 * absence of these members cannot be known, the request is not stored either.
 *
 * @param pointers the members
 */
public record ExcludedMembers(List<JsonPointer> pointers) {

	private static final JsonMapper MAPPER = JsonMapper.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	/**
	 * Creates the members.
	 * @param pointers their JSON pointers
	 * @return the members
	 */
	public static ExcludedMembers of(List<String> pointers) {
		return new ExcludedMembers(pointers.stream().map(JsonPointer::compile).toList());
	}

	/**
	 * Returns whether a body may be stored.
	 * @param contentType its media type
	 * @param body the body
	 */
	boolean allow(@Nullable String contentType, byte[] body) {
		return this.pointers.isEmpty() || body.length == 0 || (isJson(contentType) && hasNone(body));
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

	private boolean hasNone(byte[] body) {
		try {
			JsonNode document = MAPPER.readTree(body);
			return this.pointers.stream().noneMatch((pointer) -> isIn(document, pointer));
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

}
