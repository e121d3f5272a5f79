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
package dev.idempotency.conformance.surroundings;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.DispatcherServlet;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that a handler makes sees the request if Spring MVC is set to that, and no
 * request otherwise.
 */
@Tag("O7")
class InheritedContextTests {

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aThreadOfTheHandlerSeesWhatItSeesWithoutTheLibrary(boolean inheritable) {
		List<Class<?>> classes = inheritable ? List.of(Handlers.class, Inheritable.class) : List.of(Handlers.class);
		try (RunningApplication application = RunningApplication.start(classes)) {
			for (String path : List.of("/plain", "/kept", "/kept")) {
				String key = UUID.randomUUID().toString();
				assertThat(text(application.post(ALICE, path, key, "{}"))).isEqualTo(inheritable ? path : "no request");
			}
		}
	}

	@RestController
	static class Handlers {

		@PostMapping("/plain")
		String plain() {
			CompletableFuture<String> seen = new CompletableFuture<>();
			new Thread(() -> seen
				.complete((RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
						? attributes.getRequest().getRequestURI() : "no request"))
				.start();
			return seen.join();
		}

		@Idempotent
		@PostMapping("/kept")
		String kept() {
			return plain();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handlers.class)
	static class Inheritable {

		@Bean
		static BeanPostProcessor inheritance() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessBeforeInitialization(Object bean, String name) {
					if (bean instanceof DispatcherServlet servlet) {
						servlet.setThreadContextInheritable(true);
					}
					return bean;
				}

			};
		}

	}

}
