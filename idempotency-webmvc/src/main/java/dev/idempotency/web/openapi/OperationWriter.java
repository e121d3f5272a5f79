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
import java.util.Map;
import java.util.regex.Pattern;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.BooleanSchema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.key.KeyReader;
import dev.idempotency.web.openapi.OperationPolicy.KeySource;

/**
 * A writer of the policies of one operation: a single one, or one for each media type
 * that has a separate handler.
 *
 * @param operation the operation
 * @param components the components of the document
 */
record OperationWriter(Operation operation, Components components) {

	/**
	 * The example of draft-ietf-httpapi-idempotency-key-header-07 section 2.1.
	 */
	private static final String EXAMPLE = "8e03978e-40d5-43dd-bc93-6894a57f9324";

	/**
	 * Writes policies.
	 * @param formats the policies by their machine-readable form
	 */
	void write(Map<Map<String, Object>, OperationPolicy> formats) {
		this.operation.addExtension(IdempotencyOpenApiCustomizer.EXTENSION, (formats.size() == 1)
				? formats.keySet().iterator().next() : Map.of("oneOf", List.copyOf(formats.keySet())));
		List<OperationPolicy> policies = List.copyOf(formats.values());
		writeKey(policies);
		if (this.operation.getResponses() == null) {
			this.operation.setResponses(new ApiResponses());
		}
		// Before the problems, which are responses too
		policies.forEach(this::writeMarker);
		new ProblemResponses(this.operation.getResponses(), this.components, policies.get(0).settings().problemBase())
			.add(policies);
	}

	private void writeKey(List<OperationPolicy> policies) {
		List<OperationPolicy> inHeader = policies.stream().filter((policy) -> policy.isKeyInHeader()).toList();
		if (!inHeader.isEmpty() && !isDeclared(inHeader.get(0).settings().header())) {
			writeParameter(inHeader, policies);
		}
		policies.stream()
			.filter((policy) -> !policy.isKeyInHeader())
			.map(PolicyText::of)
			.distinct()
			.forEach(this::describe);
	}

	private void writeParameter(List<OperationPolicy> inHeader, List<OperationPolicy> policies) {
		String text = inHeader.stream()
			.map((each) -> PolicyText.heading(each, policies.size()) + PolicyText.of(each))
			.distinct()
			.reduce((first, second) -> first + "\n\n" + second)
			.orElseThrow();
		boolean required = policies.stream()
			.allMatch((each) -> each.source() == KeySource.HEADER && each.operation().required());
		this.operation.addParametersItem(parameter(inHeader.get(0).settings()).required(required).description(text));
	}

	/**
	 * Describes the request header that carries the key. Its schema describes the field
	 * value: with {@link HeaderSyntax#STRICT} the quotes count.
	 */
	private static Parameter parameter(WebSettings settings) {
		boolean quoted = settings.syntax() == HeaderSyntax.STRICT;
		int quotes = quoted ? 2 : 0;
		StringSchema schema = new StringSchema();
		schema.minLength(1 + quotes)
			.maxLength(KeyReader.MAX_LENGTH + quotes)
			.pattern(pattern(settings.keyPattern(), quoted));
		Parameter parameter = new HeaderParameter().name(settings.header()).schema(schema);
		return isExampleValid(settings) ? parameter.example(quoted ? '"' + EXAMPLE + '"' : EXAMPLE) : parameter;
	}

	/**
	 * Returns the pattern of the field value, anchored, since JSON Schema does not anchor
	 * patterns.
	 */
	private static @Nullable String pattern(@Nullable Pattern pattern, boolean quoted) {
		if (pattern == null) {
			return quoted ? "^\".*\"$" : null;
		}
		return quoted ? "^\"(?:" + pattern.pattern() + ")\"$" : "^(?:" + pattern.pattern() + ")$";
	}

	private static boolean isExampleValid(WebSettings settings) {
		Pattern pattern = settings.keyPattern();
		return pattern == null || pattern.matcher(EXAMPLE).matches();
	}

	/**
	 * Returns whether the application declares a header, in any case.
	 */
	private boolean isDeclared(String header) {
		List<Parameter> parameters = this.operation.getParameters();
		return parameters != null && parameters.stream()
			.anyMatch(
					(parameter) -> "header".equals(parameter.getIn()) && header.equalsIgnoreCase(parameter.getName()));
	}

	private void describe(String text) {
		String declared = this.operation.getDescription();
		this.operation.setDescription(StringUtils.hasText(declared) ? declared + "\n\n" + text : text);
	}

	private void writeMarker(OperationPolicy policy) {
		String marker = policy.settings().marker();
		if (policy.operation().replay() != Replay.FULL || marker.isEmpty()) {
			return;
		}
		this.operation.getResponses().forEach((status, response) -> {
			if ((status.startsWith("2") || status.startsWith("3")) && !hasHeader(response, marker)) {
				response.addHeaderObject(marker,
						new Header()
							.description("Present, and true, when this is the stored answer of an earlier "
									+ "request with the same key.")
							.schema(new BooleanSchema()));
			}
		});
	}

	private static boolean hasHeader(ApiResponse response, String name) {
		return response.getHeaders() != null
				&& response.getHeaders().keySet().stream().anyMatch((header) -> header.equalsIgnoreCase(name));
	}

}
