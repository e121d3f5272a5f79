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
package dev.idempotency.autoconfigure.web;

import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.function.RouterFunction;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyPolicyAutoConfigurationTests {

	private static final String PATH = "/.well-known/idempotency-policy";

	private final WebApplicationContextRunner contextRunner = TestContexts.web()
		.withBean(Payments.class)
		.withPropertyValues("idempotency.policy.path=" + PATH);

	@Test
	void publishesThePoliciesAtThePathInMembersThatNoSettingRenames() {
		this.contextRunner.withPropertyValues("spring.jackson.property-naming-strategy=UPPER_CAMEL_CASE")
			.run((context) -> {
				assertThat(MockMvcTester.from(context).get().uri(PATH)).hasStatusOk()
					.hasContentType("application/json")
					.bodyJson()
					.isStrictlyEqualTo(
							"""
									{
									  "specification": "draft-ietf-httpapi-idempotency-key-header-07",
									  "operations": [
									    {
									      "methods": ["POST"],
									      "paths": ["/payments"],
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
									  ],
									  "problems": [
									    {"type": "P/missing-key", "title": "Idempotency key missing", "status": 400,
									     "retryAfter": false},
									    {"type": "P/malformed-key", "title": "Idempotency key malformed", "status": 400,
									     "retryAfter": false},
									    {"type": "P/account-required", "title": "Account required", "status": 403,
									     "retryAfter": false},
									    {"type": "P/in-progress", "title": "Request in progress", "status": 409,
									     "retryAfter": true},
									    {"type": "P/not-replayable", "title": "Response not replayable", "status": 409,
									     "retryAfter": false},
									    {"type": "P/request-too-large", "title": "Request too large", "status": 413,
									     "retryAfter": false},
									    {"type": "P/key-reused", "title": "Idempotency key reused", "status": 422,
									     "retryAfter": false},
									    {"type": "P/store-unavailable", "title": "Idempotency store unavailable", "status": 503,
									     "retryAfter": true}
									  ]
									}
									"""
								.replace("P/", "https://idempotency.dev/problems/"));
			});
	}

	@Test
	void theDocumentSaysWhatIsConfigured() {
		this.contextRunner
			.withPropertyValues("idempotency.header=X-Key", "idempotency.header-syntax=strict",
					"idempotency.key.min-length=8", "idempotency.key.max-length=64", "idempotency.key.pattern=[a-z]+",
					"idempotency.required=false", "idempotency.scope=endpoint", "idempotency.ttl=36h",
					"idempotency.mode=leased", "idempotency.anonymous=share", "idempotency.replay.marker=",
					"idempotency.fingerprint.include-headers=X-Api-Version",
					"idempotency.fingerprint.exclude-pointers=/sentAt")
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri(PATH)).bodyJson()
				.isLenientlyEqualTo(
						"""
								{
								  "operations": [
								    {
								      "required": false,
								      "key": {"header": "X-Key", "syntax": "strict", "minLength": 8, "maxLength": 64,
								              "pattern": "[a-z]+"},
								      "scope": "endpoint",
								      "ttl": "PT36H",
								      "mode": "leased",
								      "fingerprint": {"parts": ["method", "path", "query", "media-type", "body", "headers"],
								                      "headers": ["X-Api-Version"], "excludedPointers": ["/sentAt"]},
								      "problems": ["P/malformed-key", "P/in-progress", "P/stuck", "P/too-many-open-requests",
								                   "P/not-replayable", "P/request-too-large", "P/key-reused", "P/store-unavailable"]
								    }
								  ]
								}
								"""
							.replace("P/", "https://idempotency.dev/problems/"))
				.doesNotHavePath("$.operations[0].replayMarker"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "idempotency.policy.path=", "idempotency.enabled=false" })
	void withoutAPathOrTheLibraryNothingIsPublished(String property) {
		this.contextRunner.withPropertyValues(property)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RouterFunction.class));
	}

	@Test
	void nothingIsPublishedByDefault() {
		TestContexts.web().run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RouterFunction.class));
	}

	@Test
	void leavesTheRouteOfTheApplicationAlone() {
		RouterFunction<?> own = (request) -> Optional.empty();
		this.contextRunner.withBean("idempotencyPolicyRoute", RouterFunction.class, () -> own)
			.run((context) -> assertThat(context).getBean(RouterFunction.class).isSameAs(own));
	}

	@Test
	void isNotThereWithoutSpringMvc() {
		TestContexts.web()
			.withPropertyValues("idempotency.policy.path=" + PATH)
			.withClassLoader(new FilteredClassLoader(DispatcherServlet.class, RouterFunction.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyPolicyRoute"));
	}

	@Test
	void backsOffWithoutAWebApplication() {
		TestContexts.withoutDatabase()
			.withPropertyValues("idempotency.policy.path=" + PATH)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RouterFunction.class));
	}

	@RestController
	static class Payments {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "paid";
		}

	}

}
