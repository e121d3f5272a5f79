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
package dev.idempotency.autoconfigure.actuator;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyHealthAutoConfigurationTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE)
		.withConfiguration(AutoConfigurations.of(HealthContributorRegistryAutoConfiguration.class));

	private static @Nullable HealthIndicator indicator(ApplicationContext context) {
		return (HealthIndicator) context.getBean(HealthContributorRegistry.class).getContributor("idempotency");
	}

	@Test
	void saysHowTheStoreIs() {
		this.contextRunner.run((context) -> {
			Health health = indicator(context).health();
			assertThat(health).isNotNull();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsKeys("running", "waiting", "stuck", "reaper");
		});
	}

	@Test
	void saysNothingOfAReaperThatTheNodeDoesNotHave() {
		this.contextRunner.withPropertyValues("idempotency.reaper.enabled=false").run((context) -> {
			Health health = indicator(context).health();
			assertThat(health).isNotNull();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).doesNotContainKey("reaper");
		});
	}

	@Test
	void isSwitchedOffByBootsProperties() {
		this.contextRunner.withPropertyValues("management.health.idempotency.enabled=false")
			.run((context) -> assertThat(indicator(context)).isNull());
		this.contextRunner.withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(indicator(context)).isNull());
	}

	@Test
	void leavesTheIndicatorOfTheApplicationAlone() {
		HealthIndicator own = () -> Health.unknown().build();
		this.contextRunner.withBean("idempotencyHealthIndicator", HealthIndicator.class, () -> own)
			.run((context) -> assertThat(indicator(context)).isSameAs(own));
	}

	@Test
	void isNotThereWithoutHealth() {
		TestContexts.with(DATABASE)
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyHealth"));
	}

	@Test
	void needsNoActuator() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(indicator(context)).isNotNull());
	}

	@Test
	void backsOffWithoutAStoreThatCounts() {
		TestContexts.withoutDatabase()
			.withConfiguration(AutoConfigurations.of(HealthContributorRegistryAutoConfiguration.class))
			.run((context) -> assertThat(indicator(context)).isNull());
	}

}
