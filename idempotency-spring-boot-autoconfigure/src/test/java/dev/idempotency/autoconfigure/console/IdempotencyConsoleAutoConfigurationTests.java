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
package dev.idempotency.autoconfigure.console;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.DefaultCsrfToken;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.console.IdempotencyConsoleEndpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

class IdempotencyConsoleAutoConfigurationTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=idempotencyconsole";

	private static final String ENABLED = "management.endpoint.idempotencyconsole.access=read-only";

	private final WebApplicationContextRunner contextRunner = TestContexts.web()
		.withInitializer(
				(context) -> context.getEnvironment().setConversionService(new ApplicationConversionService()));

	@Test
	void isNotThereByDefault() {
		this.contextRunner.withPropertyValues(EXPOSED)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyConsoleEndpoint.class));
	}

	@Test
	void isThereWhereItIsSwitchedOnAndExposed() {
		this.contextRunner.withPropertyValues(EXPOSED, ENABLED)
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyConsoleEndpoint.class));
		this.contextRunner.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyConsoleEndpoint.class));
	}

	@Test
	void isSwitchedOffWithTheLibraryAndByItsAccess() {
		this.contextRunner.withPropertyValues(EXPOSED, ENABLED, "idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyConsoleEndpoint.class));
		this.contextRunner.withPropertyValues(EXPOSED, "management.endpoint.idempotencyconsole.access=none")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyConsoleEndpoint.class));
	}

	@Test
	void leavesTheEndpointOfTheApplicationAlone() {
		IdempotencyConsoleEndpoint own = new IdempotencyConsoleEndpoint(() -> {
			throw new AssertionError("Nobody calls this");
		}, (request) -> null, Set::of);
		this.contextRunner.withPropertyValues(EXPOSED, ENABLED)
			.withBean(IdempotencyConsoleEndpoint.class, () -> own)
			.run((context) -> assertThat(context).getBean(IdempotencyConsoleEndpoint.class).isSameAs(own));
	}

	@Test
	void isNotThereWithoutTheActuator() {
		this.contextRunner.withPropertyValues(EXPOSED, ENABLED)
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyConsoleEndpoint"));
	}

	@Test
	void backsOffWithoutServlets() {
		TestContexts.withoutDatabase()
			.withPropertyValues(EXPOSED, ENABLED)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyConsoleEndpoint.class));
	}

	@Test
	void actionsCarryTheTokenOfSpringSecurity() {
		MockHttpServletRequest request = new MockHttpServletRequest();
		WebEndpointsSupplier endpoints = List::of;
		this.contextRunner.withPropertyValues(EXPOSED, ENABLED)
			.withBean(WebEndpointsSupplier.class, () -> endpoints)
			.run((context) -> {
				IdempotencyConsoleEndpoint console = context.getBean(IdempotencyConsoleEndpoint.class);
				RequestContextHolder
					.setRequestAttributes(new ServletRequestAttributes(request, new MockHttpServletResponse()));
				try {
					assertThat(settings(console)).extracting("csrf").isEqualTo(Map.of());
					request.setAttribute(CsrfToken.class.getName(),
							new DefaultCsrfToken("X-CSRF-TOKEN", "_csrf", "abc"));
					assertThat(settings(console)).extracting("csrf").isEqualTo(Map.of("X-CSRF-TOKEN", "abc"));
				}
				finally {
					RequestContextHolder.resetRequestAttributes();
				}
			});
	}

	private static Object settings(IdempotencyConsoleEndpoint console) {
		return console.part(new String[] { "settings" }, SecurityContext.NONE).getBody();
	}

	@Test
	void needsNoSpringSecurity() {
		this.contextRunner.withPropertyValues(EXPOSED, ENABLED)
			.withClassLoader(new FilteredClassLoader("org.springframework.security"))
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyConsoleEndpoint.class));
	}

	@Test
	void theFilesAreInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		new IdempotencyConsoleAutoConfiguration.Hints().registerHints(hints, null);
		assertThat(resource().forResource("dev/idempotency/console/main.js")).accepts(hints);
	}

}
