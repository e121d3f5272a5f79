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

import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.observability.ObservationStages;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyObservationAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase()
		.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class));

	@Test
	void observesInTheRegistryOfTheApplication() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(ObservationRegistry.class).hasSingleBean(IdempotencyEngine.class);
			assertThat(context).getBean(StageObserver.class).isInstanceOf(ObservationStages.class);
		});
	}

	@Test
	void isSwitchedOffWithTheLibrary() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StageObserver.class));
	}

	@Test
	void leavesTheObserverOfTheApplicationAlone() {
		this.contextRunner.withBean("own", StageObserver.class, () -> StageObserver.NONE)
			.run((context) -> assertThat(context).getBean(StageObserver.class).isSameAs(StageObserver.NONE));
	}

	@Test
	void isNotThereWithoutMicrometer() {
		TestContexts.withoutDatabase()
			.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyEngine.class)
				.doesNotHaveBean(StageObserver.class));
	}

	@Test
	void backsOffWithoutARegistry() {
		TestContexts.withoutDatabase()
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyEngine.class)
				.doesNotHaveBean(StageObserver.class));
	}

}
