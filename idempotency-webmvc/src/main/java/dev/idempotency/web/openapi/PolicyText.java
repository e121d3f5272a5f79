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

import dev.idempotency.HeaderSyntax;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.key.KeyReader;

/**
 * A policy in words, in the Markdown of OpenAPI descriptions.
 */
final class PolicyText {

	private PolicyText() {
	}

	/**
	 * Returns the heading that distinguishes several policies of one operation.
	 */
	static String heading(OperationPolicy policy, int policies) {
		return (policies == 1 || policy.consumes().isEmpty()) ? ""
				: "For " + String.join(", ", policy.consumes()) + ": ";
	}

	static String of(OperationPolicy policy) {
		return String.join("\n\n", purpose(policy) + missing(policy), where(policy), scope(policy),
				"Time to live: " + policy.operation().ttl()
						+ " from the moment the answer was stored. After that the key counts as new.",
				fingerprint(policy));
	}

	private static String purpose(OperationPolicy policy) {
		String duplicates = (policy.operation().replay() == Replay.FULL) ? "; each duplicate gets the first answer."
				: "; each duplicate gets 409.";
		return "Makes the operation safe to retry: all requests with one key have the effects of one" + duplicates
				+ " Use a new key for each new operation, and the same key for its retries.";
	}

	private static String missing(OperationPolicy policy) {
		return policy.operation().required() ? " Without a key the answer is 400."
				: " A request without a key is executed each time it is sent.";
	}

	private static String where(OperationPolicy policy) {
		return switch (policy.source()) {
			case HEADER -> syntax(policy.settings());
			case HEADER_OR_FORM -> syntax(policy.settings()) + " An HTML form carries the key in its field `"
					+ KeyReader.FORM_FIELD + "` instead.";
			case EXPRESSION ->
				"The key is part of the request itself: `" + policy.operation().key() + "`. No header is needed.";
			case CUSTOM -> "The place of the key in the request is specific to this server.";
		};
	}

	private static String syntax(WebSettings settings) {
		String quoted = "an RFC 9651 string, such as `\"k1\"`";
		return (settings.syntax() == HeaderSyntax.STRICT) ? "Syntax: " + quoted + "."
				: "Syntax: the bare value, such as `k1`, or " + quoted + "; both are the same key.";
	}

	private static String scope(OperationPolicy policy) {
		return switch (policy.operation().scope()) {
			case ACCOUNT -> "Scope: account. A key stands for one request of the caller, on all endpoints.";
			case ENDPOINT -> "Scope: endpoint. Keys that the caller used elsewhere are unrelated.";
			case RESOURCE -> "Scope: resource. The operations of the caller on `" + policy.operation().resource()
					+ "` share their keys; others are unrelated.";
			case DEFAULT -> throw new IllegalArgumentException("A policy has an explicit scope");
		};
	}

	private static String fingerprint(OperationPolicy policy) {
		String rule = "Another request under the same key gets 422.";
		if (!policy.canonical()) {
			return "Same request: this server has a custom rule. " + rule;
		}
		WebSettings settings = policy.settings();
		StringBuilder text = new StringBuilder(
				"Same request: the same method, path, query, media type and body; JSON is compared by its meaning.");
		if (!settings.includedHeaders().isEmpty()) {
			text.append(" These headers are compared as well: ")
				.append(String.join(", ", settings.includedHeaders()))
				.append('.');
		}
		if (!settings.excludedPointers().isEmpty()) {
			text.append(" These values are not compared: ")
				.append(String.join(", ", settings.excludedPointers()))
				.append('.');
		}
		return text.append(' ').append(rule).toString();
	}

}
