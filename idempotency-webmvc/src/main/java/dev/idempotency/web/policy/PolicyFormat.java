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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.idempotency.web.policy.OperationPolicy.Fingerprint;
import dev.idempotency.web.policy.OperationPolicy.Key;
import dev.idempotency.web.policy.OperationPolicy.KeySource;
import dev.idempotency.web.policy.OperationPolicy.Problem;

/**
 * The machine-readable form of a policy: the same members in the policy document and in
 * the OpenAPI extension. Members that do not apply are left out.
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
	public static Map<String, Object> write(OperationPolicy policy) {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("methods", policy.methods());
		members.put("paths", policy.paths());
		if (!policy.consumes().isEmpty()) {
			members.put("consumes", policy.consumes());
		}
		members.put("required", policy.key().required());
		members.put("key", key(policy.key()));
		members.put("scope", name(policy.scope()));
		if (!policy.resource().isEmpty()) {
			members.put("resource", policy.resource());
		}
		members.put("ttl", policy.ttl().toString());
		members.put("mode", name(policy.mode()));
		members.put("replay", name(policy.replay()));
		if (!policy.replayMarker().isEmpty()) {
			members.put("replayMarker", policy.replayMarker());
		}
		members.put("fingerprint", fingerprint(policy.fingerprint()));
		members.put("problems", policy.problems().stream().map(Problem::type).toList());
		return members;
	}

	private static Map<String, Object> key(Key key) {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("in", name(key.source()));
		if (key.source() == KeySource.HEADER || key.source() == KeySource.HEADER_OR_FORM) {
			members.put("header", key.header());
		}
		if (key.source() == KeySource.HEADER_OR_FORM) {
			members.put("formField", key.formField());
		}
		if (key.expression() != null) {
			members.put("expression", key.expression());
		}
		else {
			members.put("syntax", name(key.syntax()));
		}
		members.put("minLength", key.minLength());
		members.put("maxLength", key.maxLength());
		if (key.pattern() != null) {
			members.put("pattern", key.pattern().pattern());
		}
		return members;
	}

	private static Map<String, Object> fingerprint(Fingerprint fingerprint) {
		if (!fingerprint.canonical()) {
			return Map.of("strategy", "custom");
		}
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("strategy", "canonical");
		List<String> parts = new ArrayList<>(CANONICAL_PARTS);
		if (!fingerprint.includedHeaders().isEmpty()) {
			parts.add("headers");
			members.put("headers", fingerprint.includedHeaders());
		}
		members.put("parts", parts);
		if (!fingerprint.excludedPointers().isEmpty()) {
			members.put("excludedPointers", fingerprint.excludedPointers());
		}
		return members;
	}

	static String name(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
