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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.rest.webmvc.BasePathAwareController;
import org.springframework.data.rest.webmvc.RepositoryRestController;
import org.springframework.data.rest.webmvc.config.RepositoryRestMvcConfiguration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.exception.UnenforcedIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Controllers beside Spring Data REST, whose handler mappings are no beans.
 */
class DataRestTests {

	@ParameterizedTest
	@ValueSource(classes = { BasePathAware.class, OfRepositories.class })
	void anEndpointOfSpringDataRestIsRefused(Class<?> controller) {
		TestContexts.web()
			.withUserConfiguration(DataRest.class)
			.withBean(controller)
			.run((context) -> assertThat(context.getStartupFailure())
				.isInstanceOfSatisfying(UnenforcedIdempotentException.class, (failure) -> {
					assertThat(failure.getOperations()).containsExactly(controller.getSimpleName() + "#pay");
					assertThat(failure.getReason()).contains("org.springframework.data.rest.webmvc.",
							"without the interceptors and the handler adapter of Spring MVC");
					assertThat(failure.getAction()).contains("Make the class a @RestController");
				}));
	}

	@Test
	void aControllerBesideSpringDataRestIsProtected() {
		TestContexts.web()
			.withUserConfiguration(DataRest.class)
			.withBean(Beside.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	@Import(RepositoryRestMvcConfiguration.class)
	static class DataRest {

	}

	@BasePathAwareController
	static class BasePathAware {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

	@RepositoryRestController
	static class OfRepositories {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

	@RestController
	static class Beside {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

}
