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

import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.core.env.Environment;

/**
 * Refuses to start with invalid properties, or with annotated operations that are not
 * protected, for any reason. Each auto-configuration of the library imports it, except
 * those that tests of repositories include; it cannot be forgotten or excluded.
 */
public final class EnforcementImport extends UseImport {

	EnforcementImport(BeanFactory beanFactory, Environment environment) {
		super(beanFactory, environment);
	}

	@Override
	void register(BeanDefinitionRegistry registry) {
		register(registry, "idempotencyPropertiesValidator", PropertiesValidator.class);
		register(registry, "idempotencyMissingModules", MissingModules.class);
		register(registry, EnforcementGuard.NAME, EnforcementGuard.class);
		super.register(registry);
	}

	/**
	 * Validates before the web server starts, which would report a failure of its filters
	 * first. Without any active configuration there are no properties.
	 */
	static final class PropertiesValidator implements BeanFactoryPostProcessor {

		/**
		 * The names that Spring Boot gives to beans of properties: the prefix and the
		 * class.
		 */
		private static final Pattern PROPERTIES = Pattern.compile("idempotency[a-z.]*-dev\\.idempotency\\..*");

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
			Stream.of(beanFactory.getBeanDefinitionNames())
				.filter((name) -> PROPERTIES.matcher(name).matches())
				.forEach(beanFactory::getBean);
		}

	}

}
