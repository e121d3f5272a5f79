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
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.BooleanSchema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.core.Ordered;
import org.springframework.util.StringUtils;
import org.springframework.web.method.HandlerMethod;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyReader;
import dev.idempotency.web.key.KeyResolver;
import dev.idempotency.web.openapi.OperationPolicy.KeySource;

/**
 * A customizer that adds to the OpenAPI document of springdoc the information that
 * clients of protected operations need: the request header, the problems, and the header
 * that marks a replay. Declarations of the application itself are not changed.
 * <ol>
 * <li>springdoc shows each handler: its policy is kept with the operation. Several
 * handlers with one path and method are one operation.</li>
 * <li>springdoc shows the document: the policies that concern the operation's method are
 * written. A handler of GET and POST is protected for POST only.</li>
 * </ol>
 */
public final class IdempotencyOpenApiCustomizer implements GlobalOperationCustomizer, GlobalOpenApiCustomizer, Ordered {

	/**
	 * The extension that holds the policies between the two steps.
	 */
	private static final String POLICIES = "x-idempotency";

	/**
	 * The example of draft-ietf-httpapi-idempotency-key-header-07 section 2.1.
	 */
	private static final String EXAMPLE = "8e03978e-40d5-43dd-bc93-6894a57f9324";

	private final EndpointRegistry registry;

	private final WebSettings settings;

	private final boolean ownKeys;

	private final boolean ownFingerprints;

	/**
	 * Creates a customizer.
	 * @param registry the annotated controller methods
	 * @param settings the settings
	 * @param ownKeys the application's resolver of keys, {@code null} if keys are at the
	 * place in the settings
	 * @param ownFingerprints the application's fingerprints, {@code null} for the
	 * library's
	 */
	public IdempotencyOpenApiCustomizer(EndpointRegistry registry, WebSettings settings, @Nullable KeyResolver ownKeys,
			@Nullable FingerprintStrategy ownFingerprints) {
		this.registry = registry;
		this.settings = settings;
		this.ownKeys = ownKeys != null;
		this.ownFingerprints = ownFingerprints != null;
	}

	/**
	 * First, so that the application's customizers see what was added.
	 */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Operation customize(Operation operation, HandlerMethod handler) {
		Endpoint endpoint = this.registry.find(handler);
		if (endpoint != null) {
			List<OperationPolicy> policies = new ArrayList<>(policies(operation));
			policies.add(OperationPolicy.of(endpoint, this.settings, this.ownKeys, this.ownFingerprints));
			operation.addExtension(POLICIES, policies);
		}
		return operation;
	}

	@Override
	public void customise(OpenAPI document) {
		if (document.getPaths() == null) {
			return;
		}
		Components components = (document.getComponents() != null) ? document.getComponents() : new Components();
		document.getPaths()
			.values()
			.forEach((path) -> path.readOperationsMap()
				.forEach((method, operation) -> write(method, operation, components)));
		if (components.getSchemas() != null) {
			document.setComponents(components);
		}
	}

	@SuppressWarnings("unchecked")
	private static List<OperationPolicy> policies(Operation operation) {
		Object policies = (operation.getExtensions() != null) ? operation.getExtensions().get(POLICIES) : null;
		return (policies != null) ? (List<OperationPolicy>) policies : List.of();
	}

	/**
	 * Writes the policies of an operation: a single one, or one for each media type that
	 * has a separate handler.
	 */
	private void write(PathItem.HttpMethod method, Operation operation, Components components) {
		List<OperationPolicy> policies = policies(operation).stream()
			.filter((policy) -> policy.methods().contains(method.name()))
			.distinct()
			.toList();
		if (operation.getExtensions() != null) {
			operation.getExtensions().remove(POLICIES);
		}
		if (policies.isEmpty()) {
			return;
		}
		writeKey(operation, policies);
		if (operation.getResponses() == null) {
			operation.setResponses(new ApiResponses());
		}
		// Before the problems, which are responses too
		if (policies.stream().anyMatch(OperationPolicy::replayed) && !this.settings.marker().isEmpty()) {
			operation.getResponses().forEach(this::writeMarker);
		}
		new ProblemResponses(operation.getResponses(), components, this.settings.problemBase()).add(policies);
	}

	private void writeKey(Operation operation, List<OperationPolicy> policies) {
		List<OperationPolicy> inHeader = policies.stream().filter(OperationPolicy::isKeyInHeader).toList();
		if (!inHeader.isEmpty() && !isDeclared(operation)) {
			String text = inHeader.stream()
				.map((policy) -> heading(policy, policies.size()) + policy.description())
				.distinct()
				.collect(Collectors.joining("\n\n"));
			boolean required = policies.stream()
				.allMatch((policy) -> policy.source() == KeySource.HEADER && policy.required());
			operation.addParametersItem(parameter().required(required).description(text));
		}
		policies.stream()
			.filter((policy) -> !policy.isKeyInHeader())
			.map(OperationPolicy::description)
			.distinct()
			.forEach((text) -> describe(operation, text));
	}

	/**
	 * Returns the heading that distinguishes several policies of one operation.
	 */
	private static String heading(OperationPolicy policy, int policies) {
		return (policies == 1 || policy.consumes().isEmpty()) ? ""
				: "For " + String.join(", ", policy.consumes()) + ": ";
	}

	/**
	 * Describes the request header that carries the key. Its schema describes the field
	 * value: with {@link HeaderSyntax#STRICT} the quotes count. JSON Schema does not
	 * anchor patterns.
	 */
	private Parameter parameter() {
		String quote = (this.settings.syntax() == HeaderSyntax.STRICT) ? "\"" : "";
		Pattern pattern = this.settings.keyPattern();
		StringSchema schema = new StringSchema();
		schema.minLength(1 + 2 * quote.length()).maxLength(KeyReader.MAX_LENGTH + 2 * quote.length());
		if (pattern != null) {
			schema.pattern("^" + quote + "(?:" + pattern.pattern() + ")" + quote + "$");
		}
		else if (!quote.isEmpty()) {
			schema.pattern("^\".*\"$");
		}
		Parameter parameter = new HeaderParameter().name(this.settings.header()).schema(schema);
		return (pattern == null || pattern.matcher(EXAMPLE).matches()) ? parameter.example(quote + EXAMPLE + quote)
				: parameter;
	}

	/**
	 * Returns whether the application declares the header, in any case.
	 */
	private boolean isDeclared(Operation operation) {
		return operation.getParameters() != null && operation.getParameters()
			.stream()
			.anyMatch((parameter) -> "header".equals(parameter.getIn())
					&& this.settings.header().equalsIgnoreCase(parameter.getName()));
	}

	private static void describe(Operation operation, String text) {
		String declared = operation.getDescription();
		operation.setDescription(StringUtils.hasText(declared) ? declared + "\n\n" + text : text);
	}

	private void writeMarker(String status, ApiResponse response) {
		String marker = this.settings.marker();
		boolean success = status.startsWith("2") || status.startsWith("3");
		boolean declared = response.getHeaders() != null
				&& response.getHeaders().keySet().stream().anyMatch(marker::equalsIgnoreCase);
		if (success && !declared) {
			response.addHeaderObject(marker,
					new Header()
						.description("Present, and true, when this is the stored response to an earlier "
								+ "request with the same key.")
						.schema(new BooleanSchema()));
		}
	}

}
