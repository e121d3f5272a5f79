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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.aop.EndpointProtection;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.autoconfigure.console.IdempotencyConsoleAutoConfiguration;
import dev.idempotency.autoconfigure.security.IdempotencySecurityAutoConfiguration;
import dev.idempotency.autoconfigure.web.IdempotencyWebMvcAutoConfiguration;
import dev.idempotency.exception.UnenforcedIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that import auto-configurations one by one: an annotated operation is
 * enforced or refused, whichever of them is forgotten.
 */
@Tag("S13")
class EnforcementTests {

	/**
	 * The imports of a slice test of repositories, in which services may be annotated
	 * that nobody calls with a key.
	 */
	private static final List<String> SLICE = imports("data.jpa.test.autoconfigure.AutoConfigureDataJpa");

	/**
	 * The minimum of an application with its own store.
	 */
	private static final List<Class<?>> NEEDED = List.of(IdempotencyAutoConfiguration.class,
			IdempotencySecurityAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class);

	private final WebApplicationContextRunner web = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
				WebMvcAutoConfiguration.class))
		.withBean(Controller.class)
		.withPropertyValues("spring.application.name=test", "idempotency.cache.local.enabled=true");

	private static List<String> imports(String name) {
		try (Stream<String> lines = new java.io.BufferedReader(new java.io.InputStreamReader(
				EnforcementTests.class
					.getResourceAsStream("/META-INF/spring/org.springframework.boot." + name + ".imports"),
				java.nio.charset.StandardCharsets.UTF_8))
			.lines()) {
			return lines.toList();
		}
	}

	static Stream<Class<?>> alone() {
		ImportCandidates candidates = ImportCandidates.load(AutoConfiguration.class,
				EnforcementTests.class.getClassLoader());
		return candidates.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("dev.idempotency.autoconfigure.") && !SLICE.contains(name))
			.map((name) -> ClassUtils.resolveClassName(name, null));
	}

	/**
	 * Without a web server those of Spring MVC and the console are not even considered.
	 */
	static Stream<Class<?>> aloneWithoutWeb() {
		return alone().filter((type) -> type != IdempotencyWebMvcAutoConfiguration.class
				&& type != IdempotencyConsoleAutoConfiguration.class);
	}

	static Stream<Class<?>> needed() {
		return NEEDED.stream();
	}

	@ParameterizedTest
	@MethodSource("alone")
	void anEndpointWithOneAutoConfigurationIsRefused(Class<?> autoConfiguration) {
		this.web.withConfiguration(AutoConfigurations.of(autoConfiguration)).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).isInstanceOf(UnenforcedIdempotentException.class)
				.hasMessageContaining("Controller#pay");
		});
	}

	@ParameterizedTest
	@MethodSource("aloneWithoutWeb")
	void anOperationWithOneAutoConfigurationIsRefused(Class<?> autoConfiguration) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(autoConfiguration))
			.withBean(Payments.class)
			.withPropertyValues("spring.application.name=test", "idempotency.cache.local.enabled=true")
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(context.getStartupFailure()).isInstanceOf(UnenforcedIdempotentException.class)
					.hasMessageContaining("Payments#pay");
			});
	}

	@ParameterizedTest
	@MethodSource("alone")
	void anEndpointWithAStoreAndOneAutoConfigurationIsEnforcedOrRefused(Class<?> autoConfiguration) {
		this.web.withUserConfiguration(TestContexts.OwnStore.class)
			.withConfiguration(AutoConfigurations.of(autoConfiguration))
			.run((context) -> assertThat(context).hasFailed());
	}

	@ParameterizedTest
	@MethodSource("needed")
	void anEndpointWithoutOneOfTheNeededIsRefused(Class<?> forgotten) {
		List<Class<?>> others = new ArrayList<>(NEEDED);
		others.remove(forgotten);
		this.web.withUserConfiguration(TestContexts.OwnStore.class)
			.withConfiguration(AutoConfigurations.of(others.toArray(Class<?>[]::new)))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void anEndpointWithTheNeededIsEnforced() {
		this.web.withUserConfiguration(TestContexts.OwnStore.class)
			.withConfiguration(AutoConfigurations.of(NEEDED.toArray(Class<?>[]::new)))
			.run(EnforcementTests::assertEnforced);
	}

	@Test
	void theGuardIsThereOnce() {
		this.web.withUserConfiguration(TestContexts.OwnStore.class)
			.withConfiguration(TestContexts.LIBRARY)
			.run((context) -> {
				assertEnforced(context);
				assertThat(context).hasSingleBean(EnforcementGuard.class).hasSingleBean(DeferredActivation.class);
			});
	}

	@Test
	void aSliceOfRepositoriesRefusesNothing() {
		Class<?>[] slice = SLICE.stream()
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.toArray(Class<?>[]::new);
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(slice))
			.withBean(Payments.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theLibrarySwitchedOffRefusesNothing() {
		this.web.withConfiguration(AutoConfigurations.of(alone().toArray(Class<?>[]::new)))
			.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static void assertEnforced(AssertableWebApplicationContext context) {
		assertThat(context).hasNotFailed();
		assertThat(IdempotentAdvisor.advises(context.getBean(Controller.class))).isTrue();
		assertThat(Arrays.stream(Controller.class.getDeclaredMethods()))
			.allMatch((method) -> context.getBean(EndpointProtection.class).protects(method, Controller.class));
	}

	@RestController
	static class Controller {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

	static class Payments {

		@Idempotent(key = "#p0")
		String pay(String id) {
			return id;
		}

	}

}
