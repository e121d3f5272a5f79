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
import java.util.Map;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;

import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyResolver;

/**
 * A customizer that adds to the OpenAPI document of springdoc the information that
 * clients of protected operations need: the request header, the problems, the header that
 * marks a replay, and the policy as the extension {@value #EXTENSION}. Declarations of
 * the application itself are not changed.
 * <ol>
 * <li>springdoc shows each handler: its policy is kept with the operation. Several
 * handlers with one path and method are one operation.</li>
 * <li>springdoc shows the document: the policies that concern the operation's method are
 * written. A handler of GET and POST is protected for POST only.</li>
 * </ol>
 */
public final class IdempotencyOpenApiCustomizer implements GlobalOperationCustomizer, GlobalOpenApiCustomizer, Ordered {

	static final String EXTENSION = "x-idempotency";

	private final EndpointRegistry registry;

	private final WebSettings settings;

	private final @Nullable KeyResolver ownKeys;

	private final @Nullable FingerprintStrategy ownFingerprints;

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
		this.ownKeys = ownKeys;
		this.ownFingerprints = ownFingerprints;
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
			Collected collected = collected(operation);
			if (collected == null) {
				collected = new Collected(new ArrayList<>());
				operation.addExtension(EXTENSION, collected);
			}
			collected.policies().add(OperationPolicy.of(endpoint, this.settings, this.ownKeys, this.ownFingerprints));
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

	private void write(PathItem.HttpMethod method, Operation operation, Components components) {
		Collected collected = collected(operation);
		if (collected == null) {
			return;
		}
		operation.getExtensions().remove(EXTENSION);
		// Policies of handlers that differ only in their names have the same form.
		Map<Map<String, Object>, OperationPolicy> policies = new LinkedHashMap<>();
		collected.policies()
			.stream()
			.filter((policy) -> policy.methods().contains(method.name()))
			.forEach((policy) -> policies.putIfAbsent(policy.toMembers(), policy));
		if (!policies.isEmpty()) {
			new OperationWriter(operation, components).write(policies);
		}
	}

	private static @Nullable Collected collected(Operation operation) {
		Object value = (operation.getExtensions() != null) ? operation.getExtensions().get(EXTENSION) : null;
		return (value instanceof Collected collected) ? collected : null;
	}

	/**
	 * Policies between the two steps.
	 *
	 * @param policies one for each handler
	 */
	private record Collected(List<OperationPolicy> policies) {
	}

}
