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

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.key.KeyReader;
import dev.idempotency.web.problem.ProblemType;

/**
 * The idempotency policy of an operation: the specification that
 * draft-ietf-httpapi-idempotency-key-header-07 section 2.5.2 asks servers to publish, in
 * the Markdown of OpenAPI descriptions.
 *
 * @param methods the request methods that are protected
 * @param consumes the media types of the request that the mapping names, none for any
 * @param source the place of the key
 * @param required whether a request without a key is refused
 * @param replayed whether a duplicate gets the stored response
 * @param problems the library's possible responses instead of the handler's, by status
 * @param description the policy in words
 */
record OperationPolicy(List<String> methods, List<String> consumes, KeySource source, boolean required,
		boolean replayed, List<ProblemType> problems, String description) {

	private static final List<MediaType> FORMS = List.of(MediaType.APPLICATION_FORM_URLENCODED,
			MediaType.MULTIPART_FORM_DATA);

	/**
	 * Returns the policy of an endpoint.
	 * @param endpoint the endpoint
	 * @param settings the settings of the HTTP side
	 * @param ownKeys whether a resolver of the application finds keys, and not the
	 * settings
	 * @param ownFingerprints whether the application compares requests
	 */
	static OperationPolicy of(Endpoint endpoint, WebSettings settings, boolean ownKeys, boolean ownFingerprints) {
		IdempotentOperation operation = endpoint.operation();
		KeySource source = source(endpoint, ownKeys);
		String description = String.join("\n\n", purpose(operation), where(source, operation, settings),
				scope(operation),
				"Time to live: " + operation.ttl()
						+ " from the moment the response was stored. After that the key counts as new.",
				fingerprint(settings, ownFingerprints));
		return new OperationPolicy(methods(endpoint.mapping()),
				consumes(endpoint.mapping()).map(MediaType::toString).sorted().toList(), source, operation.required(),
				operation.replay() == Replay.FULL, problems(endpoint, settings.anonymous()), description);
	}

	private static List<String> methods(RequestMappingInfo mapping) {
		Set<RequestMethod> mapped = mapping.getMethodsCondition().getMethods();
		return (mapped.isEmpty() ? Stream.of(RequestMethod.values()) : mapped.stream()).map(RequestMethod::name)
			.filter((method) -> !EndpointRegistry.isSafe(method))
			.toList();
	}

	private static Stream<MediaType> consumes(RequestMappingInfo mapping) {
		return mapping.getConsumesCondition().getConsumableMediaTypes().stream();
	}

	/**
	 * Determines the place of the key. The field of a form is one if the mapping consumes
	 * forms: before there is a request, nothing else distinguishes an HTML form from an
	 * API.
	 */
	private static KeySource source(Endpoint endpoint, boolean ownKeys) {
		if (endpoint.keyExpression() != null) {
			return KeySource.EXPRESSION;
		}
		if (ownKeys) {
			return KeySource.CUSTOM;
		}
		boolean form = consumes(endpoint.mapping()).anyMatch((type) -> FORMS.stream().anyMatch(type::isCompatibleWith));
		return form ? KeySource.HEADER_OR_FORM : KeySource.HEADER;
	}

	private static List<ProblemType> problems(Endpoint endpoint, AnonymousAccess anonymous) {
		return Stream
			.of(ProblemType.MISSING_KEY, ProblemType.MALFORMED_KEY, ProblemType.ACCOUNT_REQUIRED,
					ProblemType.IN_PROGRESS, ProblemType.STUCK, ProblemType.TOO_MANY_OPEN_REQUESTS,
					ProblemType.NOT_REPLAYABLE, ProblemType.REQUEST_TOO_LARGE, ProblemType.KEY_REUSED,
					ProblemType.INTERRUPTED, ProblemType.STORE_UNAVAILABLE)
			.filter((type) -> isAnsweredBy(endpoint, type, anonymous))
			.toList();
	}

	private static boolean isAnsweredBy(Endpoint endpoint, ProblemType type, AnonymousAccess anonymous) {
		return switch (type) {
			case MISSING_KEY -> endpoint.operation().required();
			case ACCOUNT_REQUIRED -> anonymous == AnonymousAccess.REJECT;
			case STUCK, TOO_MANY_OPEN_REQUESTS -> endpoint.operation().mode() == Mode.LEASED;
			case INTERRUPTED -> endpoint.commits() == EffectCommits.IN_PHASES;
			default -> true;
		};
	}

	boolean isKeyInHeader() {
		return this.source == KeySource.HEADER || this.source == KeySource.HEADER_OR_FORM;
	}

	private static String purpose(IdempotentOperation operation) {
		return "Makes the operation safe to retry: all requests with one key have the effects of one; each duplicate gets "
				+ ((operation.replay() == Replay.FULL) ? "the first response." : "409.")
				+ " Use a new key for each new operation, and the same key for its retries."
				+ (operation.required() ? " Without a key the response is 400."
						: " A request without a key is executed each time it is sent.");
	}

	private static String where(KeySource source, IdempotentOperation operation, WebSettings settings) {
		return switch (source) {
			case HEADER -> syntax(settings);
			case HEADER_OR_FORM ->
				syntax(settings) + " An HTML form carries the key in its field `" + KeyReader.FORM_FIELD + "` instead.";
			case EXPRESSION -> "The key is part of the request itself: `" + operation.key() + "`. No header is needed.";
			case CUSTOM -> "The place of the key in the request is specific to this server.";
		};
	}

	private static String syntax(WebSettings settings) {
		String quoted = "an RFC 9651 string, such as `\"k1\"`";
		return (settings.syntax() == HeaderSyntax.STRICT) ? "Syntax: " + quoted + "."
				: "Syntax: the bare value, such as `k1`, or " + quoted + "; both are the same key.";
	}

	private static String scope(IdempotentOperation operation) {
		return switch (operation.scope()) {
			case ACCOUNT -> "Scope: account. A key stands for one request of the caller, on all endpoints.";
			case ENDPOINT -> "Scope: endpoint. Keys that the caller used elsewhere are unrelated.";
			case RESOURCE -> "Scope: resource. The operations of the caller on `" + operation.resource()
					+ "` share their keys; others are unrelated.";
			case DEFAULT -> throw new IllegalArgumentException("An operation has an explicit scope");
		};
	}

	private static String fingerprint(WebSettings settings, boolean own) {
		String rule = "Another request under the same key gets 422.";
		if (own) {
			return "Same request: this server has a custom rule. " + rule;
		}
		return "Same request: the same method, path, query, media type and body; JSON is compared by its meaning. "
				+ list("These headers are compared as well: ", settings.includedHeaders())
				+ list("These values are not compared: ", settings.excludedPointers()) + rule;
	}

	private static String list(String start, List<String> items) {
		return items.isEmpty() ? "" : start + String.join(", ", items) + ". ";
	}

	/**
	 * The place of the key.
	 */
	enum KeySource {

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

}
