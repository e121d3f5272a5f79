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
package dev.idempotency.autoconfigure.messaging;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Gives the registry of listener endpoints, which {@code @EnableKafka} and
 * {@code @EnableRabbit} declare without asking, the class that sees annotated listeners.
 * An application that has declared a registry of its own keeps it; its annotated
 * listeners refuse to run without the key of their message.
 */
final class ListenerRegistryReplacement implements BeanFactoryPostProcessor {

	private final String beanName;

	private final Class<?> original;

	private final Class<?> replacement;

	ListenerRegistryReplacement(String beanName, Class<?> original, Class<?> replacement) {
		this.beanName = beanName;
		this.original = original;
		this.replacement = replacement;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		if (!beanFactory.containsBeanDefinition(this.beanName)) {
			return;
		}
		BeanDefinition definition = beanFactory.getBeanDefinition(this.beanName);
		if (this.original.getName().equals(definition.getBeanClassName())) {
			definition.setBeanClassName(this.replacement.getName());
		}
	}

}
