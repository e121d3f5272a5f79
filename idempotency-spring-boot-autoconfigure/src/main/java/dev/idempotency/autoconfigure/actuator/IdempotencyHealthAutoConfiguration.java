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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.autoconfigure.guard.StartupReport;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.store.OperatorStore;

/**
 * The health contributor {@code idempotency}. Boot's own property
 * {@code management.health.idempotency.enabled} switches it off.
 */
@AutoConfiguration(after = { IdempotencyJdbcAutoConfiguration.class })
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(OperatorStore.class)
@EnableConfigurationProperties(HealthProperties.class)
@Import(EnforcementImport.class)
public final class IdempotencyHealthAutoConfiguration {

	private static final String NAME = "idempotency";

	/**
	 * Registers the indicator when the library is used: as a bean it would be part of the
	 * health of each application.
	 */
	@Bean
	@ConditionalOnEnabledHealthIndicator(NAME)
	@ConditionalOnMissingBean(name = "idempotencyHealthIndicator")
	StartupReport idempotencyHealth(ObjectProvider<HealthContributorRegistry> registries,
			ObjectProvider<OperatorStore> store, ObjectProvider<IdempotencyReaper> reaper,
			ObjectProvider<IdempotencyCompleter> completer, ObjectProvider<StagedJobs> jobs,
			HealthProperties properties) {
		return () -> registries.ifAvailable((registry) -> {
			if (registry.getContributor(NAME) == null) {
				registry.registerContributor(NAME, new IdempotencyHealthIndicator(store.getObject(),
						new NodeWorkers(reaper, completer, jobs), properties.maxOpenAge()));
			}
		});
	}

}
