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
package dev.idempotency.autoconfigure;

import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The answers and the extension of protected operations in the document that springdoc
 * makes.
 */
@Tag("O2")
class OpenApiResponseTests extends OpenApiDocuments {

	@Test
	void problemsHaveASchemaAndExamplesWithTheirTypes() {
		run((document) -> {
			Map<String, Map<String, Object>> responses = read(document, "$.paths['/orders/json'].post.responses");
			assertThat(responses).containsOnlyKeys("200", "400", "403", "409", "413", "422", "503");
			String problem = "$.paths['/orders/json'].post.responses['%s'].content['application/problem+json']";
			for (String status : List.of("400", "403", "409", "413", "422", "503")) {
				assertThat(this.<String>read(document, problem.formatted(status) + ".schema.$ref"))
					.isEqualTo("#/components/schemas/IdempotencyProblem");
			}
			assertThat(this.<List<String>>read(document, problem.formatted("409") + ".examples.*.value.type"))
				.containsExactly("https://idempotency.dev/problems/in-progress",
						"https://idempotency.dev/problems/not-replayable");
			assertThat(responses.get("409")).extractingByKey("headers", InstanceOfAssertFactories.MAP)
				.containsOnlyKeys("Retry-After");
			assertThat(responses.get("503")).containsKey("headers");
			assertThat(responses.get("422")).doesNotContainKey("headers");
			assertThat(this.<List<String>>read(document, "$.components.schemas.IdempotencyProblem.required"))
				.contains("type", "title", "status");
		});
	}

	@Test
	void successesHaveTheMarkerUnlessThereIsNoneOrNothingIsReplayed() {
		run((document) -> {
			assertThat(
					this.<Map<String, Object>>read(document, "$.paths['/orders/json'].post.responses['200'].headers"))
				.containsOnlyKeys("Idempotent-Replayed");
			assertThat(this.<Map<String, Object>>read(document, "$.paths['/orders/once'].post.responses['200']"))
				.doesNotContainKey("headers");
		});
		run((document) -> assertThat(
				this.<Map<String, Object>>read(document, "$.paths['/orders/json'].post.responses['200']"))
			.doesNotContainKey("headers"), "idempotency.replay.marker=");
	}

	@Test
	void theExtensionHasTheSettingsOfTheAnnotation() {
		run((document) -> assertThat(
				this.<Map<String, Object>>read(document, "$.paths['/orders/resource'].post." + EXTENSION))
			.containsEntry("scope", "resource")
			.containsEntry("resource", "orders")
			.containsEntry("ttl", "PT72H")
			.containsEntry("mode", "leased")
			.containsEntry("required", true)
			.containsKeys("key", "fingerprint", "problems"));
	}

	@Test
	void theExtensionHasAllMembersOfThePolicyAndNoOthers() {
		run((document) -> assertThat(
				this.<Map<String, Object>>read(document, "$.paths['/orders/json'].post." + EXTENSION))
			.isEqualTo(json("""
					{
					  "methods": ["POST"],
					  "paths": ["/orders/json"],
					  "consumes": ["application/json"],
					  "required": true,
					  "key": {"in": "header", "header": "Idempotency-Key", "syntax": "lenient",
					          "minLength": 1, "maxLength": 255},
					  "scope": "account",
					  "ttl": "PT24H",
					  "mode": "transactional",
					  "replay": "full",
					  "replayMarker": "Idempotent-Replayed",
					  "fingerprint": {"strategy": "canonical",
					                  "parts": ["method", "path", "query", "media-type", "body"]},
					  "problems": ["P/missing-key", "P/malformed-key", "P/account-required", "P/in-progress",
					               "P/not-replayable", "P/request-too-large", "P/key-reused",
					               "P/store-unavailable"]
					}
					""")));
	}

	@Test
	void theExtensionSaysWhatIsConfigured() {
		run((document) -> assertThat(
				this.<Map<String, Object>>read(document, "$.paths['/orders/json'].post." + EXTENSION))
			.isEqualTo(
					json("""
							{
							  "methods": ["POST"],
							  "paths": ["/orders/json"],
							  "consumes": ["application/json"],
							  "required": true,
							  "key": {"in": "header", "header": "X-Key", "syntax": "strict", "minLength": 1,
							          "maxLength": 255, "pattern": "[a-z]+"},
							  "scope": "endpoint",
							  "ttl": "PT36H",
							  "mode": "leased",
							  "replay": "full",
							  "fingerprint": {"strategy": "canonical",
							                  "parts": ["method", "path", "query", "media-type", "body", "headers"],
							                  "headers": ["X-Api-Version"], "excludedPointers": ["/sentAt"]},
							  "problems": ["P/missing-key", "P/malformed-key", "P/in-progress", "P/stuck",
							               "P/too-many-open-requests", "P/not-replayable", "P/request-too-large", "P/key-reused",
							               "P/store-unavailable"]
							}
							""")),
				"idempotency.header=X-Key", "idempotency.header-syntax=strict", "idempotency.key.pattern=[a-z]+",
				"idempotency.scope=endpoint", "idempotency.ttl=36h", "idempotency.mode=leased",
				"idempotency.anonymous=share", "idempotency.replay.marker=",
				"idempotency.fingerprint.include-headers=X-Api-Version",
				"idempotency.fingerprint.exclude-pointers=/sentAt");
	}

	private static Map<String, Object> json(String members) {
		return JsonPath.parse(members.replace("P/", "https://idempotency.dev/problems/")).json();
	}

	@Test
	void aHandlerInPhasesIsLeasedAndMayBeInterrupted() {
		run((document) -> {
			String operation = "$.paths['/orders/phased'].post";
			assertThat(this.<String>read(document, operation + "." + EXTENSION + ".mode")).isEqualTo("leased");
			assertThat(this.<Map<String, Object>>read(document,
					operation + ".responses['503'].content['application/problem+json'].examples"))
				.containsOnlyKeys("interrupted", "store-unavailable");
			assertThat(this.<List<Object>>read(document, operation + ".parameters")).hasSize(1);
			assertThat(this.<Map<String, Object>>read(document,
					"$.paths['/orders/json'].post.responses['503'].content['application/problem+json'].examples"))
				.containsOnlyKeys("store-unavailable");
		});
	}

	@Test
	void safeMethodsAndWhatIsNotAnnotatedStayAsTheyAre() {
		run((document) -> {
			for (String operation : List.of("$.paths['/orders'].get", "$.paths['/orders/plain'].post")) {
				assertThat(this.<Map<String, Object>>read(document, operation)).doesNotContainKeys("parameters",
						"x-idempotency");
				assertThat(this.<Map<String, Object>>read(document, operation + ".responses")).containsOnlyKeys("200");
			}
			assertThat(this.<Map<String, Object>>read(document, "$.paths['/orders'].post")).containsKeys("parameters",
					"x-idempotency");
		});
	}

	@Test
	void whatTheApplicationDeclaredStaysAsItIs() {
		run((document) -> {
			List<Map<String, Object>> parameters = read(document, "$.paths['/orders/declared'].post.parameters");
			assertThat(parameters).singleElement(InstanceOfAssertFactories.MAP)
				.containsEntry("name", "idempotency-key")
				.doesNotContainKey("description");
			String response = "$.paths['/orders/declared'].post.responses['422']";
			assertThat(this.<String>read(document, response + ".description")).isEqualTo("Out of stock");
			assertThat(this.<String>read(document, response + ".content['application/json'].schema.type"))
				.isEqualTo("string");
			assertThat(this.<Map<String, Object>>read(document,
					response + ".content['application/problem+json'].examples"))
				.containsOnlyKeys("key-reused");
			assertThat(this.<Map<String, Object>>read(document,
					"$.paths['/orders/declared'].post.responses['409'].content['application/problem+json']"))
				.doesNotContainKey("examples");
		});
	}

}
