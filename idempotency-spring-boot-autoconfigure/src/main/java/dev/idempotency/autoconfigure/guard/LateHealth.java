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

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.registry.HealthContributorRegistry;

/**
 * The health of a library that is in use later than the registry was filled.
 */
final class LateHealth {

	private static final String NAME = "idempotency";

	private LateHealth() {
	}

	static void register(ConfigurableListableBeanFactory beanFactory, Object bean) {
		HealthContributorRegistry registry = beanFactory.getBeanProvider(HealthContributorRegistry.class)
			.getIfAvailable();
		if (registry != null && bean instanceof HealthContributor health && registry.getContributor(NAME) == null) {
			registry.registerContributor(NAME, health);
		}
	}

}
