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

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springdoc.core.models.GroupedOpenApi;

import org.springframework.test.web.servlet.assertj.MockMvcTester;

import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The description of the keys of protected operations in the document that springdoc
 * makes.
 */
@Tag("O2")
class OpenApiDocumentTests extends OpenApiDocuments {

	@Test
	void theHeaderHasTheConfiguredNameAndPattern() {
		run((document) -> {
			List<Map<String, Object>> parameters = read(document, "$.paths['/orders/json'].post.parameters");
			assertThat(parameters).singleElement(InstanceOfAssertFactories.MAP)
				.containsEntry("name", "X-Key")
				.containsEntry("in", "header")
				.containsEntry("required", true)
				.containsEntry("schema",
						Map.of("type", "string", "minLength", 1, "maxLength", 255, "pattern", "^(?:[a-f0-9-]+)$"))
				.containsEntry("example", "8e03978e-40d5-43dd-bc93-6894a57f9324");
		}, "idempotency.header=X-Key", "idempotency.key.pattern=[a-f0-9-]+");
	}

	@Test
	void inStrictSyntaxTheQuotesBelongToTheHeader() {
		run((document) -> {
			List<Map<String, Object>> parameters = read(document, "$.paths['/orders/json'].post.parameters");
			assertThat(parameters).singleElement(InstanceOfAssertFactories.MAP)
				.containsEntry("schema",
						Map.of("type", "string", "minLength", 3, "maxLength", 257, "pattern", "^\"(?:[0-9]+)\"$"))
				.doesNotContainKey("example");
		}, "idempotency.header-syntax=strict", "idempotency.key.pattern=[0-9]+");
	}

	@Test
	void theHeaderIsDescribedWithScopeTimeToLiveSyntaxAndWhatCountsAsTheSameRequest() {
		run((document) -> {
			String description = header(document, "/orders/resource");
			assertThat(description).contains("Scope: resource", "`orders`", "PT72H", "`\"k1\"`",
					"Without a key the response is 400", "method, path, query, media type and body", "X-Api-Version",
					"/sentAt", "gets 422");
		}, "idempotency.fingerprint.include-headers=X-Api-Version", "idempotency.fingerprint.exclude-pointers=/sentAt");
	}

	@Test
	void aKeyThatMayBeLeftOutIsNotRequired() {
		run((document) -> {
			assertThat(this.<Boolean>read(document, "$.paths['/orders/optional'].post.parameters[0].required"))
				.isFalse();
			assertThat(header(document, "/orders/optional")).contains("executed each time");
			assertThat(this.<Map<String, Object>>read(document,
					"$.paths['/orders/optional'].post.responses['400'].content['application/problem+json'].examples"))
				.containsOnlyKeys("malformed-key");
		});
	}

	@Test
	void aKeyOfTheRequestItselfNeedsNoHeader() {
		run((document) -> {
			Map<String, Object> operation = read(document, "$.paths['/orders/expression'].post");
			assertThat(operation).doesNotContainKey("parameters");
			assertThat(operation).extractingByKey("description", InstanceOfAssertFactories.STRING)
				.contains("`#order.id()`", "No header is needed")
				.doesNotContain("Syntax");
		});
	}

	@Test
	void ofAKeyOrAFingerprintThatTheApplicationMakesNothingIsClaimed() {
		this.contextRunner.withBean(KeyResolver.class, () -> (request) -> List.of("k"))
			.withBean(FingerprintStrategy.class, () -> (source) -> new byte[1])
			.run((context) -> {
				String document = document(MockMvcTester.from(context), "/v3/api-docs");
				assertThat(this.<Map<String, Object>>read(document, "$.paths['/orders/json'].post"))
					.doesNotContainKey("parameters")
					.extractingByKey("description", InstanceOfAssertFactories.STRING)
					.contains("specific to this server", "a custom rule")
					.doesNotContain("media type");
			});
	}

	@Test
	void oneOperationOfTwoHandlersHasThePoliciesOfBoth() {
		run((document) -> {
			List<Map<String, Object>> parameters = read(document,
					"$.paths['/orders/both'].post.parameters[?(@.in == 'header')]");
			assertThat(parameters).singleElement(InstanceOfAssertFactories.MAP)
				.containsEntry("name", "Idempotency-Key")
				.containsEntry("required", false)
				.extractingByKey("description", InstanceOfAssertFactories.STRING)
				.contains("For application/json: ", "For application/x-www-form-urlencoded: ",
						"in its field `_idempotency_key` instead", "Scope: account", "Scope: endpoint");
		});
	}

	@Test
	void theDocumentOfAGroupSaysTheSame() {
		this.contextRunner
			.withBean(GroupedOpenApi.class,
					() -> GroupedOpenApi.builder().group("json").pathsToMatch("/orders/json").build())
			.run((context) -> assertThat(
					header(document(MockMvcTester.from(context), "/v3/api-docs/json"), "/orders/json"))
				.contains("Time to live: PT24H"));
	}

}
