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

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.engine.execution.Call.EffectCommits;
import dev.idempotency.web.policy.OperationPolicy.KeySource;
import dev.idempotency.web.problem.ProblemType;

/**
 * The catalog of the policies of all annotated controller methods.
 */
public final class PolicyCatalog {

	private static final List<MediaType> FORMS = List.of(MediaType.APPLICATION_FORM_URLENCODED,
			MediaType.MULTIPART_FORM_DATA);

	private final EndpointRegistry registry;

	private final WebSettings settings;

	private final boolean defaultKeys;

	private final boolean canonical;

	/**
	 * Creates a catalog.
	 * @param registry the endpoints
	 * @param settings the settings
	 * @param defaultKeys whether keys are at the place in the settings
	 * @param canonical whether the fingerprints are the library's own
	 */
	public PolicyCatalog(EndpointRegistry registry, WebSettings settings, boolean defaultKeys, boolean canonical) {
		this.registry = registry;
		this.settings = settings;
		this.defaultKeys = defaultKeys;
		this.canonical = canonical;
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

	/**
	 * Lists the policies of all protected handlers.
	 * @return the policies, by path and method
	 */
	private List<OperationPolicy> findAll() {
		return this.registry.findAll()
			.stream()
			.map(this::policy)
			.sorted(Comparator.comparing((OperationPolicy policy) -> String.join(" ", policy.paths()))
				.thenComparing((policy) -> String.join(" ", policy.methods()))
				.thenComparing((policy) -> String.join(" ", policy.consumes())))
			.toList();
	}

	/**
	 * Publishes the policies as one document.
	 * @param path the path, below the application's context path
	 * @return the route
	 */
	public RouterFunction<ServerResponse> documentAt(String path) {
		return RouterFunctions.route()
			.GET(path,
					(request) -> ServerResponse.ok()
						.contentType(MediaType.APPLICATION_JSON)
						.body(PolicyFormat.document(findAll())))
			.build();
	}

	private OperationPolicy policy(Endpoint endpoint) {
		RequestMappingInfo mapping = endpoint.mapping();
		return new OperationPolicy(methods(mapping), mapping.getPatternValues().stream().sorted().toList(),
				consumes(mapping).map(MediaType::toString).sorted().toList(), source(endpoint), endpoint.operation(),
				this.canonical, problems(endpoint), this.settings);
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
		if (!this.defaultKeys) {
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
