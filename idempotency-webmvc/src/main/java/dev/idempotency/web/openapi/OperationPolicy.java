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
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyReader;
import dev.idempotency.web.key.KeyResolver;
import dev.idempotency.web.problem.ProblemType;

/**
 * The idempotency policy of an operation: the specification that
 * draft-ietf-httpapi-idempotency-key-header-07 section 2.5.2 asks servers to publish.
 *
 * @param methods the request methods that are protected, sorted
 * @param paths the path patterns, sorted, below the application's context path
 * @param consumes the media types of the request that the mapping names, none for any
 * @param source the place of the key
 * @param operation the settings of the annotation
 * @param canonical whether requests are compared by the library's fingerprint: method,
 * path, query, media type and the meaning of the body. Otherwise the application's own
 * decides, and nothing more is known
 * @param problems the library's possible responses instead of the handler's, by status
 * @param settings the settings of the HTTP side
 */
record OperationPolicy(List<String> methods, List<String> paths, List<String> consumes, KeySource source,
		IdempotentOperation operation, boolean canonical, List<ProblemType> problems, WebSettings settings) {

	private static final List<MediaType> FORMS = List.of(MediaType.APPLICATION_FORM_URLENCODED,
			MediaType.MULTIPART_FORM_DATA);

	private static final List<String> CANONICAL_PARTS = List.of("method", "path", "query", "media-type", "body");

	/**
	 * Returns the policy of an endpoint.
	 * @param endpoint the endpoint
	 * @param settings the settings of the HTTP side
	 * @param ownKeys the application's resolver of keys, {@code null} if keys are at the
	 * place in the settings
	 * @param ownFingerprints the application's fingerprints, {@code null} for the
	 * library's
	 */
	static OperationPolicy of(Endpoint endpoint, WebSettings settings, @Nullable KeyResolver ownKeys,
			@Nullable FingerprintStrategy ownFingerprints) {
		RequestMappingInfo mapping = endpoint.mapping();
		return new OperationPolicy(methods(mapping), mapping.getPatternValues().stream().sorted().toList(),
				consumes(mapping).map(MediaType::toString).sorted().toList(), source(endpoint, ownKeys),
				endpoint.operation(), ownFingerprints == null, problems(endpoint, settings.anonymous()), settings);
	}

	private static List<String> methods(RequestMappingInfo mapping) {
		Set<RequestMethod> mapped = mapping.getMethodsCondition().getMethods();
		return (mapped.isEmpty() ? Stream.of(RequestMethod.values()) : mapped.stream()).map(RequestMethod::name)
			.filter((method) -> !EndpointRegistry.isSafe(method))
			.sorted()
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
	private static KeySource source(Endpoint endpoint, @Nullable KeyResolver ownKeys) {
		if (endpoint.keyExpression() != null) {
			return KeySource.EXPRESSION;
		}
		if (ownKeys != null) {
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

	/**
	 * Returns the machine-readable form of this policy: the members of the OpenAPI
	 * extension. Members that do not apply are left out.
	 * @return the members, in order, of types that every JSON library knows
	 */
	Map<String, Object> toMembers() {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("methods", this.methods);
		members.put("paths", this.paths);
		if (!this.consumes.isEmpty()) {
			members.put("consumes", this.consumes);
		}
		members.put("required", this.operation.required());
		members.put("key", key());
		members.put("scope", name(this.operation.scope()));
		if (!this.operation.resource().isEmpty()) {
			members.put("resource", this.operation.resource());
		}
		members.put("ttl", this.operation.ttl().toString());
		members.put("mode", name(this.operation.mode()));
		members.put("replay", name(this.operation.replay()));
		if (!this.settings.marker().isEmpty()) {
			members.put("replayMarker", this.settings.marker());
		}
		members.put("fingerprint", this.canonical ? fingerprint() : Map.of("strategy", "custom"));
		members.put("problems", this.problems.stream().map((type) -> type.uri(this.settings.problemBase())).toList());
		return members;
	}

	private Map<String, Object> key() {
		String expression = this.operation.key();
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("in", name(this.source));
		if (isKeyInHeader()) {
			members.put("header", this.settings.header());
		}
		if (this.source == KeySource.HEADER_OR_FORM) {
			members.put("formField", KeyReader.FORM_FIELD);
		}
		if (expression != null) {
			members.put("expression", expression);
		}
		else {
			members.put("syntax", name(this.settings.syntax()));
		}
		members.put("minLength", 1);
		members.put("maxLength", KeyReader.MAX_LENGTH);
		if (this.settings.keyPattern() != null) {
			members.put("pattern", this.settings.keyPattern().pattern());
		}
		return members;
	}

	private Map<String, Object> fingerprint() {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("strategy", "canonical");
		List<String> parts = new ArrayList<>(CANONICAL_PARTS);
		if (!this.settings.includedHeaders().isEmpty()) {
			parts.add("headers");
			members.put("headers", this.settings.includedHeaders());
		}
		members.put("parts", parts);
		if (!this.settings.excludedPointers().isEmpty()) {
			members.put("excludedPointers", this.settings.excludedPointers());
		}
		return members;
	}

	private static String name(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
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
