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

import com.jayway.jsonpath.JsonPath;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.springdoc.core.configuration.SpringDocConfiguration;
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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The documents that springdoc makes of an application with protected operations.
 */
abstract class OpenApiDocuments {

	final WebApplicationContextRunner contextRunner = TestContexts.web()
		.withConfiguration(AutoConfigurations.of(SpringDocConfiguration.class, SpringDocConfigProperties.class,
				SpringDocWebMvcConfiguration.class, MultipleOpenApiSupportConfiguration.class))
		.withBean(Orders.class);

	void run(DocumentConsumer consumer, String... properties) {
		this.contextRunner.withPropertyValues(properties).run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			String document = document(mvc, "/v3/api-docs");
			consumer.accept(document);
			assertThat(document(mvc, "/v3/api-docs")).as("the second time").isEqualTo(document);
		});
	}

	static String document(MockMvcTester mvc, String path) throws Exception {
		var result = mvc.get().uri(path).exchange();
		assertThat(result).hasStatusOk();
		return result.getResponse().getContentAsString();
	}

	String header(String document, String path) {
		return read(document, "$.paths['" + path + "'].post.parameters[0].description");
	}

	<T> T read(String document, String path) {
		return JsonPath.read(document, path);
	}

	interface DocumentConsumer {

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
