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
	void problemsAreThoseOfTheConfiguredModeAndOfAnonymousCallers() {
		run((document) -> {
			String responses = "$.paths['/orders/json'].post.responses";
			assertThat(this.<Map<String, Object>>read(document, responses)).containsOnlyKeys("200", "400", "409", "413",
					"422", "429", "503");
			assertThat(this.<Map<String, Object>>read(document,
					responses + "['409'].content['application/problem+json'].examples"))
				.containsOnlyKeys("in-progress", "stuck", "not-replayable");
		}, "idempotency.mode=leased", "idempotency.anonymous=share");
	}

	@Test
	void aHandlerInPhasesMayBeInterrupted() {
		run((document) -> {
			String operation = "$.paths['/orders/phased'].post";
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
				assertThat(this.<Map<String, Object>>read(document, operation)).doesNotContainKey("parameters");
				assertThat(this.<Map<String, Object>>read(document, operation + ".responses")).containsOnlyKeys("200");
			}
			assertThat(this.<Map<String, Object>>read(document, "$.paths['/orders'].post")).containsKey("parameters");
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
