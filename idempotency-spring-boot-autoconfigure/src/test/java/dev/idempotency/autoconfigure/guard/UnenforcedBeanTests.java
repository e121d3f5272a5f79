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

import dev.idempotency.Idempotent;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.UnenforcedIdempotentException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Beans with annotated methods that are created late, in circles, or without a proxy.
 */
class UnenforcedBeanTests {

	private final ApplicationContextRunner withoutStore = new ApplicationContextRunner()
		.withConfiguration(TestContexts.LIBRARY)
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));

	@Test
	void lazyBeansAreFoundAndNotCreated() {
		AtomicInteger created = new AtomicInteger();
		this.withoutStore.withBean(UnenforcedTests.Payments.class, () -> {
			created.incrementAndGet();
			return new UnenforcedTests.Payments();
		}, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "", ""));
		assertThat(created).hasValue(0);
	}

	@Test
	void beansOfALazyApplicationAreFound() {
		this.withoutStore.withBean(UnenforcedTests.Payments.class)
			.withInitializer((context) -> context
				.addBeanFactoryPostProcessor(new org.springframework.boot.LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "", ""));
	}

	@Test
	void prototypesAreFound() {
		this.withoutStore
			.withBean(UnenforcedTests.Payments.class, () -> new UnenforcedTests.Payments(),
					(definition) -> definition.setScope("prototype"))
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "", ""));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lazily", "prototype" })
	void aBeanWhoseClassIsNotKnownBeforeIsRefusedWhenItIsCreated(String name) {
		this.withoutStore.withUserConfiguration(Undeclared.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Throwable failure = catchThrowable(() -> context.getBean(name));
			assertThat(failure).rootCause().isInstanceOf(UnenforcedIdempotentException.class);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lazily", "prototype" })
	void aBeanWhoseClassIsNotKnownBeforeIsProtectedWhereThereIsAnEngine(String name) {
		TestContexts.withoutDatabase()
			.withUserConfiguration(Undeclared.class)
			.run((context) -> assertThat(IdempotentAdvisor.advises(context.getBean(name))).isTrue());
	}

	@Test
	void aBeanInACircleIsProtected() {
		TestContexts.withoutDatabase()
			.withAllowCircularReferences(true)
			.withUserConfiguration(Circle.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void anApplicationWithoutProxiesIsRefused() {
		TestContexts.withoutDatabase()
			.withPropertyValues("spring.aop.auto=false")
			.withBean(UnenforcedTests.Payments.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay",
					"auto-proxy creator is missing", "Remove spring.aop.auto=false"));
	}

	@Test
	void anObjectThatSpringHasNotCreatedIsRefused() {
		TestContexts.withoutDatabase()
			.withInitializer(
					(context) -> context.getBeanFactory().registerSingleton("payments", new UnenforcedTests.Payments()))
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidIdempotentException.class)
				.hasMessageContaining("Payments#pay has no effect")
				.hasMessageContaining("is not proxied"));
	}

	private static void assertUnenforced(Throwable failure, String operation, String reason, String action) {
		assertThat(failure).isInstanceOfSatisfying(UnenforcedIdempotentException.class, (unenforced) -> {
			assertThat(unenforced.getOperations()).contains(operation);
			assertThat(unenforced.getReason()).contains(reason);
			assertThat(unenforced.getAction()).contains(action);
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Undeclared {

		@Bean
		@Lazy
		Object lazily() {
			return new UnenforcedTests.Payments();
		}

		@Bean
		@Scope("prototype")
		Object prototype() {
			return new UnenforcedTests.Payments();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ First.class, Second.class })
	static class Circle {

	}

	static class First {

		@Autowired
		Second second;

		@Idempotent(key = "#p0")
		String pay(String id) {
			return id;
		}

	}

	static class Second {

		@Autowired
		First first;

		@Idempotent(key = "#p0")
		String pay(String id) {
			return id;
		}

	}

}
