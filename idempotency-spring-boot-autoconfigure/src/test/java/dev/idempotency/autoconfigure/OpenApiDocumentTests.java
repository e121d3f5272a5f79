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
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springdoc.core.configuration.SpringDocConfiguration;
import org.springdoc.core.models.GroupedOpenApi;
import org.springdoc.core.properties.SpringDocConfigProperties;
import org.springdoc.webmvc.core.configuration.MultipleOpenApiSupportConfiguration;
import org.springdoc.webmvc.core.configuration.SpringDocWebMvcConfiguration;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.phase.Phases;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The description of protected operations in the document that springdoc makes.
 */
@Tag("O2")
class OpenApiDocumentTests {

	private static final String EXTENSION = "['x-idempotency']";

	private final WebApplicationContextRunner contextRunner = TestContexts.web()
		.withConfiguration(AutoConfigurations.of(SpringDocConfiguration.class, SpringDocConfigProperties.class,
				SpringDocWebMvcConfiguration.class, MultipleOpenApiSupportConfiguration.class))
		.withBean(Orders.class);

	@Test
	void theHeaderHasTheConfiguredNameLengthAndPattern() {
		run((document) -> {
			List<Map<String, Object>> parameters = read(document, "$.paths['/orders/json'].post.parameters");
			assertThat(parameters).singleElement(InstanceOfAssertFactories.MAP)
				.containsEntry("name", "X-Key")
				.containsEntry("in", "header")
				.containsEntry("required", true)
				.containsEntry("schema",
						Map.of("type", "string", "minLength", 8, "maxLength", 64, "pattern", "^(?:[a-f0-9-]+)$"))
				.containsEntry("example", "8e03978e-40d5-43dd-bc93-6894a57f9324");
		}, "idempotency.header=X-Key", "idempotency.key.min-length=8", "idempotency.key.max-length=64",
				"idempotency.key.pattern=[a-f0-9-]+");
	}

	@Test
	void inStrictSyntaxTheQuotesBelongToTheHeader() {
		run((document) -> {
			List<Map<String, Object>> parameters = read(document, "$.paths['/orders/json'].post.parameters");
			assertThat(parameters).singleElement(InstanceOfAssertFactories.MAP)
				.containsEntry("schema",
						Map.of("type", "string", "minLength", 3, "maxLength", 12, "pattern", "^\"(?:[0-9]+)\"$"))
				.doesNotContainKey("example");
		}, "idempotency.header-syntax=strict", "idempotency.key.max-length=10", "idempotency.key.pattern=[0-9]+");
	}

	@Test
	void theHeaderIsDescribedWithScopeTimeToLiveSyntaxAndWhatCountsAsTheSameRequest() {
		run((document) -> {
			String description = header(document, "/orders/resource");
			assertThat(description).contains("Scope: resource", "`orders`", "PT72H", "`\"k1\"`",
					"Without a key the answer is 400", "method, path, query, media type and body", "X-Api-Version",
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
	void theExtensionIsThePolicy() {
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
	void aKeyOfTheRequestItselfNeedsNoHeader() {
		run((document) -> {
			Map<String, Object> operation = read(document, "$.paths['/orders/expression'].post");
			assertThat(operation).doesNotContainKey("parameters");
			assertThat(operation).extractingByKey("description", InstanceOfAssertFactories.STRING)
				.contains("`#order.id()`", "No header is needed")
				.doesNotContain("Syntax");
			assertThat(this.<String>read(document, "$.paths['/orders/expression'].post." + EXTENSION + ".key.in"))
				.isEqualTo("expression");
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
				assertThat(this.<Map<String, Object>>read(document,
						"$.paths['/orders/json'].post." + EXTENSION + ".fingerprint"))
					.isEqualTo(Map.of("strategy", "custom"));
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
						"in its field `_idempotency_key` instead");
			assertThat(
					this.<List<String>>read(document, "$.paths['/orders/both'].post." + EXTENSION + ".oneOf[*].scope"))
				.containsExactlyInAnyOrder("account", "endpoint");
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

	@Test
	void theDocumentOfAGroupSaysTheSame() {
		this.contextRunner
			.withBean(GroupedOpenApi.class,
					() -> GroupedOpenApi.builder().group("json").pathsToMatch("/orders/json").build())
			.run((context) -> assertThat(
					header(document(MockMvcTester.from(context), "/v3/api-docs/json"), "/orders/json"))
				.contains("Time to live: PT24H"));
	}

	private void run(DocumentConsumer consumer, String... properties) {
		this.contextRunner.withPropertyValues(properties).run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			String document = document(mvc, "/v3/api-docs");
			consumer.accept(document);
			assertThat(document(mvc, "/v3/api-docs")).as("the second time").isEqualTo(document);
		});
	}

	private static String document(MockMvcTester mvc, String path) throws Exception {
		var result = mvc.get().uri(path).exchange();
		assertThat(result).hasStatusOk();
		return result.getResponse().getContentAsString();
	}

	private String header(String document, String path) {
		return read(document, "$.paths['" + path + "'].post.parameters[0].description");
	}

	private <T> T read(String document, String path) {
		return JsonPath.read(document, path);
	}

	private interface DocumentConsumer {

		void accept(String document);

	}

	record Order(String id) {
	}

	@RestController
	@RequestMapping("/orders")
	static class Orders {

		@Idempotent
		@PostMapping(path = "/json", consumes = "application/json")
		String json(@RequestBody Order order) {
			return order.id();
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "orders", ttl = "72h", mode = Mode.LEASED)
		@PostMapping("/resource")
		String resource() {
			return "";
		}

		@Idempotent(required = Required.FALSE)
		@PostMapping("/optional")
		String optional() {
			return "";
		}

		@Idempotent(replay = Replay.NONE)
		@PostMapping("/once")
		String once() {
			return "";
		}

		@Idempotent(key = "#order.id()")
		@PostMapping("/expression")
		String expression(@RequestBody Order order) {
			return order.id();
		}

		@Idempotent
		@PostMapping(path = "/both", consumes = "application/json")
		String both(@RequestBody Order order) {
			return order.id();
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping(path = "/both", consumes = "application/x-www-form-urlencoded")
		String bothForm(@ModelAttribute Order order) {
			return order.id();
		}

		@Idempotent
		@RequestMapping(method = { RequestMethod.GET, RequestMethod.POST })
		String any() {
			return "";
		}

		@Idempotent
		@PostMapping("/phased")
		String phased(Phases phases) {
			return phases.toString();
		}

		@PostMapping("/plain")
		String plain() {
			return "";
		}

		@Idempotent
		@PostMapping("/declared")
		@ApiResponse(responseCode = "200")
		@ApiResponse(responseCode = "409", content = @Content(mediaType = "application/problem+json"))
		@ApiResponse(responseCode = "422", description = "Out of stock",
				content = @Content(mediaType = "application/json", schema = @Schema(implementation = String.class)))
		String declared(@RequestHeader("idempotency-key") String key) {
			return key;
		}

	}

}
