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
package dev.idempotency.autoconfigure.observability;

import java.util.List;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.account.Account;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.observation.IdempotencyObservationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The registry of the application, in which requests are observed.
 */
class ObservationRegistryTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase();

	private static List<?> observedBy(BeanFactory context) {
		ObservationRegistry registry = context.getBean(ObservationRegistry.class);
		return context.getBean(IdempotencyOperations.class)
			.execute(IdempotencyRequest.of("test", "key").withAccount(Account.SHARED), List.class, () -> {
				Observation current = registry.getCurrentObservation();
				return (current != null) ? List.of(current.getContext().getName()) : List.of();
			});
	}

	@Test
	void requestsAreObservedInTheRegistryOfTheApplication() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
			.withBean(Handler.class)
			.run((context) -> assertThat(observedBy(context)).asString().isEqualTo("[idempotency.stage.request]"));
	}

	@Test
	void aPropertySwitchesThemOff() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
			.withBean(Handler.class)
			.withPropertyValues("management.observations.enable.idempotency=false")
			.run((context) -> assertThat(observedBy(context)).isEmpty());
	}

	@Test
	void nothingIsObservedInARegistryWithoutHandlers() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
			.run((context) -> assertThat(observedBy(context)).isEmpty());
	}

	@Test
	void requestsRunWithoutARegistry() {
		this.contextRunner.run((context) -> {
			assertThat(context).doesNotHaveBean(ObservationRegistry.class);
			assertThat(context.getBean(IdempotencyOperations.class)
				.execute(IdempotencyRequest.of("test", "key").withAccount(Account.SHARED), String.class, () -> "done"))
				.isEqualTo("done");
		});
	}

	static final class Handler implements ObservationHandler<IdempotencyObservationContext> {

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof IdempotencyObservationContext;
		}

	}

}
