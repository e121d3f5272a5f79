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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Publishes the policies of all protected operations as one JSON document, for
 * draft-ietf-httpapi-idempotency-key-header-07 section 2.5.2.
 */
final class PolicyDocument {

	private static final String SPECIFICATION = "draft-ietf-httpapi-idempotency-key-header-07";

	private final PolicyCatalog policies;

	private final JsonMapper mapper = JsonMapper.shared();

	PolicyDocument(PolicyCatalog policies) {
		this.policies = policies;
	}

	/**
	 * Serves the document.
	 * @param path the path, below the application's context path
	 * @return the route
	 */
	RouterFunction<ServerResponse> at(String path) {
		return RouterFunctions.route()
			.GET(path, (request) -> ServerResponse.ok().contentType(MediaType.APPLICATION_JSON).body(json()))
			.build();
	}

	/**
	 * Bytes, so that the application's settings for JSON leave the names of the members
	 * alone.
	 */
	private byte[] json() {
		List<OperationPolicy> operations = this.policies.findAll();
		Map<String, Object> document = new LinkedHashMap<>();
		document.put("specification", SPECIFICATION);
		document.put("operations", operations.stream().map(PolicyFormat::write).toList());
		document.put("problems",
				operations.stream()
					.flatMap((operation) -> operation.problems().stream())
					.distinct()
					.map(PolicyDocument::problem)
					.toList());
		return this.mapper.writeValueAsBytes(document);
	}

	private static Map<String, Object> problem(OperationPolicy.Problem problem) {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("type", problem.type());
		members.put("title", problem.title());
		members.put("status", problem.status());
		members.put("retryAfter", problem.retryAfter());
		return members;
	}

}
