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

import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.servlet.DispatcherServlet;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.openapi.IdempotencyOpenApiCustomizer;

import static org.assertj.core.api.Assertions.assertThat;

class OpenApiConfigurationTests {

	private final WebApplicationContextRunner contextRunner = TestContexts.web();

	@Test
	void customizesTheDocumentsOfSpringdoc() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(IdempotencyOpenApiCustomizer.class));
	}

	@Test
	void isSwitchedOffByItsPropertyOrByTheLibrarys() {
		for (String property : new String[] { "idempotency.openapi.enabled", "idempotency.enabled" }) {
			this.contextRunner.withPropertyValues(property + "=false")
				.run((context) -> assertThat(context).hasNotFailed()
					.doesNotHaveBean(IdempotencyOpenApiCustomizer.class));
		}
	}

	@Test
	void leavesTheCustomizerOfTheApplicationAlone() {
		this.contextRunner
			.withBean("own", IdempotencyOpenApiCustomizer.class,
					() -> new IdempotencyOpenApiCustomizer(null, null, null, null))
			.run((context) -> assertThat(context).hasNotFailed()
				.getBeanNames(IdempotencyOpenApiCustomizer.class)
				.containsExactly("own"));
	}

	@Test
	void springdocIsNotNeeded() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springdoc", "io.swagger"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(EndpointRegistry.class)
				.doesNotHaveBean("idempotencyOpenApiCustomizer"));
	}

	@Test
	void backsOffWithoutControllers() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(EndpointRegistry.class)
				.doesNotHaveBean(IdempotencyOpenApiCustomizer.class));
	}

}
