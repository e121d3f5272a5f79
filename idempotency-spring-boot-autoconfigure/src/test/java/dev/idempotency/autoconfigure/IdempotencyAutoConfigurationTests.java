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

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyOperations;
import dev.idempotency.OutcomePolicy;
import dev.idempotency.ScopeResolver;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.NotificationPublisher;

import static dev.idempotency.IdempotencyNotification.Expired;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

class IdempotencyAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase();

	@Test
	void definesTheEngineTheAspectAndTheOperations() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(IdempotencyEngine.class)
			.hasSingleBean(IdempotentAdvisor.class)
			.hasSingleBean(DefaultOutcomePolicy.class)
			.hasSingleBean(IdempotencyOperations.class));
	}

	@Test
	void isSwitchedOffByItsProperty() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyEngine.class)
				.doesNotHaveBean(IdempotentAdvisor.class)
				.doesNotHaveBean(IdempotencyOperations.class));
	}

	@Test
	void leavesTheBeansOfTheApplicationAlone() {
		OutcomePolicy policy = (outcome) -> true;
		ScopeResolver scopes = (operation) -> "everywhere";
		IdempotencyOperations operations = mock(IdempotencyOperations.class);
		this.contextRunner.withBean(OutcomePolicy.class, () -> policy)
			.withBean(ScopeResolver.class, () -> scopes)
			.withBean(IdempotencyOperations.class, () -> operations)
			.run((context) -> {
				assertThat(context).getBean(OutcomePolicy.class).isSameAs(policy);
				assertThat(context).getBean(ScopeResolver.class).isSameAs(scopes);
				assertThat(context).getBean(IdempotencyOperations.class).isSameAs(operations);
			});
	}

	@Test
	void tellsAllListenersOfTheApplication() {
		List<IdempotencyListener> listeners = List.of(mock(IdempotencyListener.class), mock(IdempotencyListener.class));
		this.contextRunner.withBean("first", IdempotencyListener.class, () -> listeners.get(0))
			.withBean("second", IdempotencyListener.class, () -> listeners.get(1))
			.run((context) -> {
				context.getBean(NotificationPublisher.class).publish(new Expired(1));
				listeners.forEach((listener) -> verify(listener).onNotification(new Expired(1)));
			});
	}

	@Test
	void isNotThereWithoutJackson() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(JsonMapper.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyEngine.class));
	}

	@Test
	void backsOffWithoutAStore() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyEngine.class)
				.doesNotHaveBean(IdempotentAdvisor.class));
	}

}
