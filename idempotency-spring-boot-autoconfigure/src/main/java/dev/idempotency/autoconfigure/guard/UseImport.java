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
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Keeps the library inactive until the application uses it, unless it is switched off.
 * Imported by the auto-configurations that tests of repositories include; all others
 * import {@link EnforcementImport}.
 * <p>
 * The beans are registered when the importing configuration is read. Beans of a
 * configuration class would be skipped if the conditions of the importing class do not
 * match, such as the engine's conditions without a store, when they are needed most.
 */
public sealed class UseImport implements ImportSelector permits EnforcementImport {

	private final BeanFactory beanFactory;

	private final Environment environment;

	UseImport(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Override
	public final String[] selectImports(AnnotationMetadata importing) {
		if (this.beanFactory instanceof BeanDefinitionRegistry registry
				&& this.environment.getProperty("idempotency.enabled", Boolean.class, true)) {
			register(registry);
		}
		return new String[0];
	}

	void register(BeanDefinitionRegistry registry) {
		register(registry, "idempotencyUse", DeferredActivation.class);
	}

	static void register(BeanDefinitionRegistry registry, String name, Class<?> type) {
		if (!registry.containsBeanDefinition(name)) {
			RootBeanDefinition definition = new RootBeanDefinition(type, RootBeanDefinition.AUTOWIRE_CONSTRUCTOR,
					false);
			definition.setRole(RootBeanDefinition.ROLE_INFRASTRUCTURE);
			registry.registerBeanDefinition(name, definition);
		}
	}

}
