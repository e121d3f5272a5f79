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

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import dev.idempotency.aop.AnnotatedTypes;

/**
 * Keeps the library inactive until the application uses it. Imported by the
 * auto-configurations that tests of repositories include; all others import it with
 * {@link EnforcementImport}.
 */
public final class UseImport implements ImportSelector {

	private static final String NAME = "idempotencyUse";

	private final BeanFactory beanFactory;

	private final Environment environment;

	UseImport(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Override
	public String[] selectImports(AnnotationMetadata importing) {
		if (this.beanFactory instanceof BeanDefinitionRegistry registry
				&& this.environment.getProperty("idempotency.enabled", Boolean.class, true)) {
			register(registry);
		}
		return new String[0];
	}

	static void register(BeanDefinitionRegistry registry) {
		if (!registry.containsBeanDefinition(NAME)) {
			register(registry, "idempotencyAnnotatedTypes", UseImport.class, "annotatedTypes");
			register(registry, NAME, UseImport.class, "use");
			register(registry, "idempotencyEagerBeans", UseImport.class, "eagerBeans");
		}
	}

	static void register(BeanDefinitionRegistry registry, String name, Class<?> factory, String factoryMethod) {
		RootBeanDefinition definition = new RootBeanDefinition(factory);
		definition.setUniqueFactoryMethodName(factoryMethod);
		definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
		registry.registerBeanDefinition(name, definition);
	}

	static AnnotatedTypes annotatedTypes() {
		return new AnnotatedTypes();
	}

	static LibraryUse use(AnnotatedTypes types) {
		return new LibraryUse(types);
	}

	/**
	 * Where {@code spring.main.lazy-initialization} makes beans lazy, those of the
	 * library are as they would be without it: their checks belong to the start, and
	 * workers that are created after it would never be started.
	 */
	static LazyInitializationExcludeFilter eagerBeans() {
		return (name, definition, type) -> LibraryBeans.isOwn(definition);
	}

}
