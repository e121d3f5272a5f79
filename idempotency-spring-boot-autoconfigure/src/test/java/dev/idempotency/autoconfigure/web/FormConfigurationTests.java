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

import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.support.RequestDataValueProcessor;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;

import static org.assertj.core.api.Assertions.assertThat;

class FormConfigurationTests {

	private static final String PROCESSOR = "requestDataValueProcessor";

	private final WebApplicationContextRunner contextRunner = TestContexts.web().withBean(Orders.class);

	@ParameterizedTest
	@CsvSource(nullValues = "-",
			value = { "/app/orders, post, true", "/app/orders, POST, true", "/app/orders?a=1#top, post, true",
					"/app/orders;jsessionid=1, post, true", "'', post, true", "orders, post, true",
					"/app/orders/1, post, true", "/app/orders, get, false", "/app/orders, -, false",
					"/app/orders/search, post, false", "/orders, post, false", "/app/nothing, post, false",
					"https://other.example/app/orders, post, false", "//other.example/app/orders, post, false",
					"'/app/orders a', post, false" })
	void aFormGetsAKeyIfItIsSubmittedToAProtectedHandler(String action, @Nullable String method, boolean keyed) {
		this.contextRunner.run((context) -> {
			Map<String, String> fields = fields(context, action, method);
			if (keyed) {
				assertThat(fields).containsOnlyKeys("_idempotency_key");
			}
			else {
				assertThat(fields).isNullOrEmpty();
			}
		});
	}

	@Test
	void theApplicationsOwnProcessorGoesOn() {
		this.contextRunner.withBean(PROCESSOR, RequestDataValueProcessor.class, Own::new).run((context) -> {
			assertThat(context).hasSingleBean(RequestDataValueProcessor.class);
			assertThat(fields(context, "/app/orders", "post")).containsOnlyKeys("own", "_idempotency_key");
			assertThat(fields(context, "/app/orders/search", "post")).containsOnlyKeys("own");
			assertThat(processor(context).processAction(request(), "/x", "post")).isEqualTo("/x!");
			assertThat(processor(context).processUrl(request(), "/x")).isEqualTo("/x?");
		});
	}

	@Test
	void isSwitchedOffByItsPropertyOrByTheLibrarys() {
		for (String property : new String[] { "idempotency.form.insert-key=false", "idempotency.enabled=false" }) {
			this.contextRunner.withPropertyValues(property)
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PROCESSOR));
		}
	}

	@Test
	void isNotThereWithoutSpringMvc() {
		TestContexts.web()
			.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PROCESSOR));
	}

	@Test
	void backsOffWithoutAWebApplication() {
		TestContexts.withoutDatabase().run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PROCESSOR));
	}

	private static @Nullable Map<String, String> fields(ApplicationContext context, String action,
			@Nullable String method) {
		MockHttpServletRequest request = request();
		processor(context).processAction(request, action, (method != null) ? method : "");
		return processor(context).getExtraHiddenFields(request);
	}

	private static RequestDataValueProcessor processor(ApplicationContext context) {
		return context.getBean(PROCESSOR, RequestDataValueProcessor.class);
	}

	private static MockHttpServletRequest request() {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/app/orders");
		request.setContextPath("/app");
		return request;
	}

	static final class Own implements RequestDataValueProcessor {

		@Override
		public String processAction(HttpServletRequest request, String action, String httpMethod) {
			return action + "!";
		}

		@Override
		public String processFormFieldValue(HttpServletRequest request, @Nullable String name, String value,
				String type) {
			return value;
		}

		@Override
		public Map<String, String> getExtraHiddenFields(HttpServletRequest request) {
			return Map.of("own", "1");
		}

		@Override
		public String processUrl(HttpServletRequest request, String url) {
			return url + "?";
		}

	}

	@RestController
	static class Orders {

		@Idempotent
		@PostMapping("/orders")
		String place() {
			return "placed";
		}

		@Idempotent
		@PutMapping("/orders/{id}")
		String change() {
			return "changed";
		}

		@PostMapping("/orders/search")
		String search() {
			return "found";
		}

	}

}
