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
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.engine.execution.ClaimRequest.EffectCommits;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyResolver;
import dev.idempotency.web.openapi.OperationPolicy.KeySource;
import dev.idempotency.web.problem.ProblemType;

/**
 * The policies of the annotated controller methods.
 */
final class OperationPolicies {

	private static final List<MediaType> FORMS = List.of(MediaType.APPLICATION_FORM_URLENCODED,
			MediaType.MULTIPART_FORM_DATA);

	private final EndpointRegistry registry;

	private final WebSettings settings;

	private final @Nullable KeyResolver ownKeys;

	private final @Nullable FingerprintStrategy ownFingerprints;

	OperationPolicies(EndpointRegistry registry, WebSettings settings, @Nullable KeyResolver ownKeys,
			@Nullable FingerprintStrategy ownFingerprints) {
		this.registry = registry;
		this.settings = settings;
		this.ownKeys = ownKeys;
		this.ownFingerprints = ownFingerprints;
	}

	/**
	 * Finds the policy of a handler.
	 * @param handler the handler
	 * @return the policy, {@code null} if the handler is not protected
	 */
	@Nullable OperationPolicy find(HandlerMethod handler) {
		Endpoint endpoint = this.registry.find(handler);
		return (endpoint != null) ? policy(endpoint) : null;
	}

	private OperationPolicy policy(Endpoint endpoint) {
		RequestMappingInfo mapping = endpoint.mapping();
		return new OperationPolicy(methods(mapping), mapping.getPatternValues().stream().sorted().toList(),
				consumes(mapping).map(MediaType::toString).sorted().toList(), source(endpoint), endpoint.operation(),
				this.ownFingerprints == null, problems(endpoint), this.settings);
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
	private KeySource source(Endpoint endpoint) {
		if (endpoint.keyExpression() != null) {
			return KeySource.EXPRESSION;
		}
		if (this.ownKeys != null) {
			return KeySource.CUSTOM;
		}
		boolean form = consumes(endpoint.mapping()).anyMatch((type) -> FORMS.stream().anyMatch(type::isCompatibleWith));
		return form ? KeySource.HEADER_OR_FORM : KeySource.HEADER;
	}

	private List<ProblemType> problems(Endpoint endpoint) {
		return Stream
			.of(ProblemType.MISSING_KEY, ProblemType.MALFORMED_KEY, ProblemType.ACCOUNT_REQUIRED,
					ProblemType.IN_PROGRESS, ProblemType.STUCK, ProblemType.TOO_MANY_OPEN_REQUESTS,
					ProblemType.NOT_REPLAYABLE, ProblemType.REQUEST_TOO_LARGE, ProblemType.KEY_REUSED,
					ProblemType.INTERRUPTED, ProblemType.STORE_UNAVAILABLE)
			.filter((type) -> isAnsweredBy(endpoint, type))
			.toList();
	}

	private boolean isAnsweredBy(Endpoint endpoint, ProblemType type) {
		return switch (type) {
			case MISSING_KEY -> endpoint.operation().required();
			case ACCOUNT_REQUIRED -> this.settings.anonymous() == AnonymousAccess.REJECT;
			case STUCK, TOO_MANY_OPEN_REQUESTS -> endpoint.operation().mode() == Mode.LEASED;
			case INTERRUPTED -> endpoint.commits() == EffectCommits.IN_PHASES;
			default -> true;
		};
	}

}
