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

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.IdempotencyNotification.Expired;
import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.engine.NotificationPublisher;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyMetricsAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

	@Test
	void countsWhatTheEngineTells() {
		this.contextRunner.run((context) -> {
			context.getBean(NotificationPublisher.class).publish(new Expired(3));
			assertThat(context.getBean(MeterRegistry.class).get("idempotency.expired").counter().count()).isEqualTo(3);
		});
	}

	@Test
	void theMetersOfAnnotatedMethodsAreThereFromTheStart() {
		this.contextRunner.withBean(Annotated.class)
			.run((context) -> assertThat(context.getBean(MeterRegistry.class)
				.get("idempotency.requests")
				.tags("operation", Annotated.class.getName() + "#run", "outcome", "executed")
				.timer()
				.count()).isZero());
	}

	@Test
	void anApplicationThatHasAnnotatedNothingHasNoSeries() {
		this.contextRunner.run((context) -> assertThat(context.getBean(MeterRegistry.class).getMeters())
			.noneMatch((meter) -> meter.getId().getName().startsWith("idempotency.")));
	}

	@Test
	void featuresThatAreOffHaveNoSeries() {
		this.contextRunner.withBean(Annotated.class).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.find("idempotency.outbox.oldest").meters()).isEmpty();
			assertThat(registry.find("idempotency.taken.over").meters()).isEmpty();
			assertThat(registry.find("idempotency.requests").tag("source", "local").meters()).isEmpty();
		});
	}

	@Test
	void percentilesAreBootsOptIn() {
		this.contextRunner.withBean(Annotated.class)
			.withPropertyValues("management.metrics.distribution.percentiles.idempotency.requests=0.5,0.99")
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.get("idempotency.requests").timers()).isNotEmpty()
					.allSatisfy((timer) -> assertThat(timer.takeSnapshot().percentileValues()).hasSize(2));
			});
	}

	@Test
	void isSwitchedOffByTheLibrarysPropertyOrByBoots() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(MicrometerListener.class));
		this.contextRunner.withPropertyValues("management.metrics.enable.idempotency=false")
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).find("idempotency.expired").counter())
				.isNull());
	}

	@Test
	void leavesTheListenerOfTheApplicationAlone() {
		MicrometerListener own = new MicrometerListener(new SimpleMeterRegistry());
		this.contextRunner.withBean(MicrometerListener.class, () -> own)
			.run((context) -> assertThat(context).getBean(MicrometerListener.class).isSameAs(own));
	}

	@Test
	void isNotThereWithoutMicrometer() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyMicrometerListener"));
	}

	@Test
	void backsOffWithoutARegistry() {
		TestContexts.withoutDatabase()
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(MicrometerListener.class));
	}

	static class Annotated {

		@Idempotent(key = "#key")
		void run(String key) {
		}

	}

}
