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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.job.JobHandler;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.maintenance.IdempotencyReaper;

/**
 * Auto-configuration of the meters of protected operations. Boot's own property
 * {@code management.metrics.enable.idempotency} switches them off.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ IdempotencyEngine.class, MeterRegistry.class })
@Import(EnforcementImport.class)
public final class IdempotencyMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	MicrometerListener idempotencyMicrometerListener(MeterRegistry registry) {
		return new MicrometerListener(registry);
	}

	@Bean
	OperationMeters idempotencyOperationMeters(MicrometerListener meters, OperationFactory operations,
			ObjectProvider<JobHandler<?>> jobs, ObjectProvider<IdempotencyReaper> reaper,
			ObjectProvider<IdempotencyCompleter> completer, Environment environment) {
		return new OperationMeters(meters, operations, jobs, reaper, completer, environment);
	}

}
