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
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import dev.idempotency.aop.AnnotatedTypes;

/**
 * Refuses to start with invalid properties, or with annotated operations that are not
 * protected, for any reason. Each auto-configuration of the library imports it, except
 * those that tests of repositories include; it cannot be forgotten or excluded. Inactive
 * if the library is switched off.
 * <p>
 * The beans are registered when the importing configuration is read. Those of a
 * configuration class would be skipped together with an importing one whose conditions on
 * beans do not match, such as the engine's without a store, when they are needed most.
 */
public final class EnforcementImport implements ImportSelector {

	/**
	 * The names that Spring Boot gives to beans of properties: the prefix and the class.
	 */
	private static final Pattern PROPERTIES = Pattern.compile("idempotency[a-z.]*-dev\\.idempotency\\..*");

	private final BeanFactory beanFactory;

	private final Environment environment;

	EnforcementImport(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Override
	public String[] selectImports(AnnotationMetadata importing) {
		if (this.beanFactory instanceof BeanDefinitionRegistry registry
				&& !registry.containsBeanDefinition(EnforcementGuard.NAME)
				&& this.environment.getProperty("idempotency.enabled", Boolean.class, true)) {
			UseImport.register(registry, "idempotencyPropertiesValidator", EnforcementImport.class,
					"propertiesValidator");
			UseImport.register(registry, "idempotencyMissingModules", EnforcementImport.class, "missingModules");
			UseImport.register(registry, EnforcementGuard.NAME, EnforcementImport.class, "guard");
			UseImport.register(registry, "idempotencyChildContexts", EnforcementImport.class, "childContexts");
			UseImport.register(registry);
		}
		return new String[0];
	}

	/**
	 * Validates before the web server starts, which would report a failure of its filters
	 * first. Without any active configuration there are no properties.
	 */
	static BeanFactoryPostProcessor propertiesValidator() {
		return (beanFactory) -> Stream.of(beanFactory.getBeanDefinitionNames())
			.filter((name) -> PROPERTIES.matcher(name).matches())
			.forEach(beanFactory::getBean);
	}

	static MissingModules missingModules() {
		return new MissingModules();
	}

	static EnforcementGuard guard(ConfigurableApplicationContext context, AnnotatedTypes types, LibraryUse use) {
		return new EnforcementGuard(context, types, use);
	}

	static ChildContexts childContexts(ApplicationContext context, AnnotatedTypes types) {
		return new ChildContexts(context, types);
	}

}
