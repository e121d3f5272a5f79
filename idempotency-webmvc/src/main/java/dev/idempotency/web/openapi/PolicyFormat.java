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
package dev.idempotency.web.openapi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.key.KeyReader;
import dev.idempotency.web.openapi.OperationPolicy.KeySource;

/**
 * The machine-readable form of a policy: the members of the OpenAPI extension. Members
 * that do not apply are left out.
 */
final class PolicyFormat {

	private static final List<String> CANONICAL_PARTS = List.of("method", "path", "query", "media-type", "body");

	private PolicyFormat() {
	}

	/**
	 * Writes a policy.
	 * @param policy the policy
	 * @return its members, in order, of types that every JSON library knows
	 */
	static Map<String, Object> write(OperationPolicy policy) {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("methods", policy.methods());
		members.put("paths", policy.paths());
		if (!policy.consumes().isEmpty()) {
			members.put("consumes", policy.consumes());
		}
		IdempotentOperation operation = policy.operation();
		members.put("required", operation.required());
		members.put("key", key(policy));
		members.put("scope", name(operation.scope()));
		if (!operation.resource().isEmpty()) {
			members.put("resource", operation.resource());
		}
		members.put("ttl", operation.ttl().toString());
		members.put("mode", name(operation.mode()));
		members.put("replay", name(operation.replay()));
		WebSettings settings = policy.settings();
		if (!settings.marker().isEmpty()) {
			members.put("replayMarker", settings.marker());
		}
		members.put("fingerprint", policy.canonical() ? fingerprint(settings) : Map.of("strategy", "custom"));
		members.put("problems", policy.problems().stream().map((type) -> type.uri(settings.problemBase())).toList());
		return members;
	}

	private static Map<String, Object> key(OperationPolicy policy) {
		WebSettings settings = policy.settings();
		String expression = policy.operation().key();
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("in", name(policy.source()));
		if (policy.isKeyInHeader()) {
			members.put("header", settings.header());
		}
		if (policy.source() == KeySource.HEADER_OR_FORM) {
			members.put("formField", KeyReader.FORM_FIELD);
		}
		if (expression != null) {
			members.put("expression", expression);
		}
		else {
			members.put("syntax", name(settings.syntax()));
		}
		members.put("minLength", 1);
		members.put("maxLength", KeyReader.MAX_LENGTH);
		if (settings.keyPattern() != null) {
			members.put("pattern", settings.keyPattern().pattern());
		}
		return members;
	}

	private static Map<String, Object> fingerprint(WebSettings settings) {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("strategy", "canonical");
		List<String> parts = new ArrayList<>(CANONICAL_PARTS);
		if (!settings.includedHeaders().isEmpty()) {
			parts.add("headers");
			members.put("headers", settings.includedHeaders());
		}
		members.put("parts", parts);
		if (!settings.excludedPointers().isEmpty()) {
			members.put("excludedPointers", settings.excludedPointers());
		}
		return members;
	}

	private static String name(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
