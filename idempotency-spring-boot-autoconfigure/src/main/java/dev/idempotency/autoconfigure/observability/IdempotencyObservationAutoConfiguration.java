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

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.observability.ObservationStages;
import dev.idempotency.observability.ObservedPublications;
import dev.idempotency.outbox.PublicationObserver;

/**
 * Observations of the stages of requests, if the application has a registry for them. A
 * registry without handlers costs nothing.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ IdempotencyEngine.class, ObservationRegistry.class })
@Import(EnforcementImport.class)
public final class IdempotencyObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(StageObserver.class)
	ObservationStages idempotencyObservationStages(ObservationRegistry registry) {
		return new ObservationStages(registry);
	}

	/**
	 * Configuration with the outbox.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(PublicationObserver.class)
	static class Publications {

		@Bean
		@ConditionalOnBooleanProperty("idempotency.outbox.enabled")
		@ConditionalOnMissingBean(PublicationObserver.class)
		ObservedPublications idempotencyObservedPublications(ObservationRegistry registry) {
			return new ObservedPublications(registry);
		}

	}

}
