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

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Refuses to start with annotated operations that are not protected, for any reason. Each
 * auto-configuration of the library imports it, except those that tests of repositories
 * include; it cannot be forgotten or excluded.
 */
public final class EnforcementImport extends UseImport {

	EnforcementImport(BeanFactory beanFactory, Environment environment) {
		super(beanFactory, environment);
	}

	@Override
	void register(BeanDefinitionRegistry registry) {
		register(registry, "idempotencyDurationUnits", DurationUnits.class);
		register(registry, EnforcementGuard.NAME, EnforcementGuard.class);
		super.register(registry);
	}

	/**
	 * Refuses a number without a unit in place of a duration, but for zero. Spring Boot
	 * reads it as milliseconds, where its author most likely meant seconds.
	 */
	static final class DurationUnits implements ConfigurationPropertiesBindHandlerAdvisor {

		private static final ConfigurationPropertyName LIBRARY = ConfigurationPropertyName.of("idempotency");

		private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

		private final Environment environment;

		DurationUnits(Environment environment) {
			this.environment = environment;
		}

		@Override
		public BindHandler apply(BindHandler handler) {
			return new AbstractBindHandler(handler) {

				@Override
				public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target,
						BindContext context, Object result) {
					ConfigurationProperty property = context.getConfigurationProperty();
					if (property != null && result instanceof Duration duration && !duration.isZero()
							&& LIBRARY.isAncestorOf(name)) {
						requireUnit(name, String.valueOf(property.getValue()));
					}
					return super.onSuccess(name, target, context, result);
				}

			};
		}

		private void requireUnit(ConfigurationPropertyName name, String value) {
			String number = this.environment.resolvePlaceholders(value).trim();
			if (NUMBER.matcher(number).matches()) {
				throw new InvalidIdempotentException("The property " + name + " is '" + number + "', without a unit.",
						"Write a unit, such as " + number + "s or " + number + "h.", name.toString());
			}
		}

	}

}
