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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.examples.Example;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;

import dev.idempotency.web.problem.ProblemType;

/**
 * The problems that the library answers with instead of the handler.
 *
 * @param responses the responses of the operation
 * @param components the components of the document
 * @param base the start of the URIs of all problem types
 */
record ProblemResponses(ApiResponses responses, Components components, String base) {

	static final String SCHEMA = "IdempotencyProblem";

	private static final String MEDIA_TYPE = "application/problem+json";

	private static final String DETAIL = "The problem with this request.";

	private static final String INSTANCE = "/path/of/this/request";

	/**
	 * Creates responses.
	 * @param responses the responses of the operation
	 * @param components the components of the document
	 * @param base the start of the URIs of all problem types
	 */
	void add(List<OperationPolicy> policies) {
		if (this.components.getSchemas() == null || !this.components.getSchemas().containsKey(SCHEMA)) {
			this.components.addSchemas(SCHEMA, schema());
		}
		policies.stream()
			.flatMap((policy) -> policy.problems().stream())
			.distinct()
			.collect(Collectors.groupingBy((type) -> type.status().value(), TreeMap::new, Collectors.toList()))
			.forEach((status, problems) -> add(status.toString(), problems));
	}

	private void add(String status, List<ProblemType> problems) {
		ApiResponse declared = this.responses.get(status);
		if (declared == null) {
			this.responses.addApiResponse(status, response(problems));
		}
		else if (declared.get$ref() == null) {
			complete(declared, problems);
		}
	}

	/**
	 * Adds problems to the handler's own response with their status, under their own
	 * media type.
	 */
	private void complete(ApiResponse declared, List<ProblemType> problems) {
		if (declared.getContent() == null) {
			declared.setContent(new Content());
		}
		declared.getContent().putIfAbsent(MEDIA_TYPE, content(problems));
	}

	private ApiResponse response(List<ProblemType> problems) {
		ApiResponse response = new ApiResponse()
			.description(problems.stream().map(ProblemType::title).distinct().collect(Collectors.joining(". ")))
			.content(new Content().addMediaType(MEDIA_TYPE, content(problems)));
		if (problems.stream().anyMatch(ProblemType::isRetryable)) {
			response.addHeaderObject("Retry-After",
					new Header().description("Seconds to wait before a retry" + when(problems))
						.schema(new IntegerSchema()));
		}
		return response;
	}

	private static String when(List<ProblemType> problems) {
		return problems.stream().allMatch(ProblemType::isRetryable) ? ""
				: ", with " + problems.stream()
					.filter(ProblemType::isRetryable)
					.map(ProblemType::typeName)
					.collect(Collectors.joining(", "));
	}

	private MediaType content(List<ProblemType> problems) {
		MediaType content = new MediaType().schema(new Schema<Object>().$ref(SCHEMA));
		problems.forEach((problem) -> content.addExamples(problem.typeName(), example(problem)));
		return content;
	}

	private Example example(ProblemType problem) {
		Map<String, Object> value = new LinkedHashMap<>();
		value.put("type", problem.uri(this.base));
		value.put("title", problem.title());
		value.put("status", problem.status().value());
		value.put("detail", DETAIL);
		value.put("instance", INSTANCE);
		return new Example().summary(problem.title()).value(value);
	}

	private static Schema<?> schema() {
		Schema<?> schema = new ObjectSchema().description("A problem (RFC 9457) of an idempotency key");
		schema.addProperty("type", new StringSchema().format("uri").description("Identifies the problem"));
		schema.addProperty("title", new StringSchema());
		schema.addProperty("status", new IntegerSchema());
		schema.addProperty("detail", new StringSchema().description("The problem with this request"));
		schema.addProperty("instance",
				new StringSchema().format("uri-reference").description("The path of this request"));
		schema.setRequired(List.of("type", "title", "status", "detail", "instance"));
		return schema;
	}

}
