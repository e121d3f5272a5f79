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

import java.util.List;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.job.JobHandler;

/**
 * Refuses the use of a feature whose module is not on the class path, and names the
 * module.
 */
final class MissingModules {

	static final List<Feature> FEATURES = List.of(
			new Feature("idempotency.cache.local.enabled", "com.github.benmanes.caffeine.cache.Caffeine",
					"com.github.ben-manes.caffeine:caffeine"),
			new Feature("idempotency.client.enabled", "dev.idempotency.client.ClientSettings",
					"dev.idempotency:idempotency-client"),
			new Feature("idempotency.outbox.enabled", "dev.idempotency.outbox.EventRelay",
					"dev.idempotency:idempotency-messaging"));

	private MissingModules() {
	}

	static void refuse(ConfigurableListableBeanFactory beanFactory) {
		Environment environment = beanFactory.getBean(Environment.class);
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		for (Feature feature : FEATURES) {
			if (environment.getProperty(feature.property, Boolean.class, false)
					&& !ClassUtils.isPresent(feature.className, classLoader)) {
				throw new InvalidIdempotentException(
						"The property " + feature.property + " is 'true', and " + feature.module
								+ " is not on the class path.",
						"Add " + feature.module + ", or remove the property.", feature.property);
			}
		}
		if (!ClassUtils.isPresent("dev.idempotency.job.dbscheduler.JobScheduler", classLoader)) {
			requireNoHandlers(beanFactory.getBeanNamesForType(JobHandler.class, true, false));
		}
	}

	private static void requireNoHandlers(String[] names) {
		if (names.length > 0) {
			throw new InvalidIdempotentException(
					"The application has handlers of staged jobs (" + String.join(", ", names)
							+ "), and idempotency-jobs is not on the class path.",
					"Add dev.idempotency:idempotency-jobs, or remove the handlers.");
		}
	}

	/**
	 * A feature that a property switches on.
	 *
	 * @param property the property
	 * @param className a class of the module that it needs
	 * @param module group and artifact of the module
	 */
	record Feature(String property, String className, String module) {
	}

}
