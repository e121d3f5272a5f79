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
package dev.idempotency.autoconfigure.guard;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Lazy;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.UnenforcedIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated beans of a child context, such as that of a second dispatcher servlet.
 * Neither interceptors, adapters nor proxies of the application are theirs as a matter of
 * course.
 */
@Tag("X30")
class ChildContextTests {

	private final WebApplicationContextRunner parent = TestContexts.web();

	@Test
	void controllersOfASecondServletAreRefused() {
		this.parent
			.run((context) -> assertRefused(context, "PaymentController#pay", Servlet.class, PaymentController.class));
	}

	@Test
	void controllersOfASecondServletAreRefusedEvenIfTheyAreProxied() {
		this.parent.run((context) -> assertRefused(context, "PaymentController#pay", Servlet.class, Proxies.class,
				PaymentController.class));
	}

	@Test
	void servicesWithoutTheAspectAreRefused() {
		this.parent.run((context) -> assertRefused(context, "PaymentService#pay", PaymentService.class));
	}

	@Test
	void servicesThatDoNotExistYetAreRefused() {
		this.parent.run((context) -> assertRefused(context, "LazyService#pay", Proxies.class, LazyService.class));
	}

	@Test
	void servicesWithTheAspectAreAccepted() {
		this.parent.run((context) -> {
			try (AnnotationConfigWebApplicationContext child = child(context, Proxies.class, PaymentService.class)) {
				child.refresh();
				assertThat(EnforcementGuard.isAdvised(child.getBean(PaymentService.class))).isTrue();
			}
		});
	}

	@Test
	void childrenWithoutAnnotatedBeansAreAccepted() {
		this.parent.run((context) -> {
			try (AnnotationConfigWebApplicationContext child = child(context, Servlet.class)) {
				child.refresh();
				assertThat(child.isActive()).isTrue();
			}
		});
	}

	private static void assertRefused(AssertableWebApplicationContext parent, String operation, Class<?>... classes) {
		try (AnnotationConfigWebApplicationContext child = child(parent, classes)) {
			assertThatExceptionOfType(UnenforcedIdempotentException.class).isThrownBy(child::refresh)
				.satisfies((unenforced) -> {
					assertThat(unenforced.getOperations()).containsExactly(operation);
					assertThat(unenforced.getReason()).contains("child context");
					assertThat(unenforced.getAction()).contains("application's own context");
				});
		}
	}

	private static AnnotationConfigWebApplicationContext child(AssertableWebApplicationContext parent,
			Class<?>... classes) {
		assertThat(parent).hasNotFailed();
		AnnotationConfigWebApplicationContext child = new AnnotationConfigWebApplicationContext();
		child.setParent(parent.getSourceApplicationContext());
		child.setServletContext(new MockServletContext());
		child.register(classes);
		return child;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	static class Servlet {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Proxies {

	}

	@RestController
	static class PaymentController {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

	static class PaymentService {

		@Idempotent(key = "#id")
		public String pay(String id) {
			return id;
		}

	}

	@Lazy
	static class LazyService extends PaymentService {

	}

}
