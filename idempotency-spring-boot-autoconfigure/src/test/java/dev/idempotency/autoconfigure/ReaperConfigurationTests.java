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

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;

import static org.assertj.core.api.Assertions.assertThat;

class ReaperConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase();

	@Test
	void runsFromTheStartToTheEndOfTheApplication() {
		IdempotencyReaper[] reaper = new IdempotencyReaper[1];
		this.contextRunner.run((context) -> {
			reaper[0] = context.getBean(IdempotencyReaper.class);
			assertThat(reaper[0].isRunning()).isTrue();
		});
		assertThat(reaper[0].isRunning()).isFalse();
	}

	@Test
	void isSwitchedOffByItsProperty() {
		this.contextRunner.withPropertyValues("idempotency.reaper.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyReaper.class));
	}

	@Test
	void leavesTheReaperOfTheApplicationAlone() {
		IdempotencyReaper own = new IdempotencyReaper(new InMemoryIdempotencyStore("test", InstantSource.system()),
				null, new NotificationPublisher(List.of()),
				new IdempotencyReaper.Schedule(Duration.ofDays(1), 12, Duration.ofDays(7), Duration.ofDays(30)));
		this.contextRunner.withBean(IdempotencyReaper.class, () -> own)
			.run((context) -> assertThat(context).getBean(IdempotencyReaper.class).isSameAs(own));
	}

	@Test
	void isNotThereWithoutTransactions() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withClassLoader(new FilteredClassLoader(PlatformTransactionManager.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyReaper.class));
	}

	@Test
	void backsOffWithoutAStore() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyReaper.class));
	}

	@Test
	void leavesTheSchedulingOfTheApplicationAlone() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(TaskSchedulingAutoConfiguration.class))
			.run((context) -> assertThat(context).doesNotHaveBean(TaskScheduler.class));
		this.contextRunner.withConfiguration(AutoConfigurations.of(TaskSchedulingAutoConfiguration.class))
			.withUserConfiguration(Scheduling.class)
			.run((context) -> assertThat(context).hasSingleBean(TaskScheduler.class).hasBean("taskScheduler"));
	}

	@EnableScheduling
	static class Scheduling {

	}

}
