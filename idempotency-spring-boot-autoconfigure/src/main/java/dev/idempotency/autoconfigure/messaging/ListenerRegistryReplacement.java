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

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.idempotency.aop.AnnotatedTypes;
import dev.idempotency.aop.AnnotatedTypes.AnnotatedType;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Replaces the registry of listener endpoints, which {@code @EnableKafka} and
 * {@code @EnableRabbit} declare unconditionally, by the class that detects annotated
 * listeners, if any exist. A listener whose class is hidden behind the return type of its
 * factory method is discovered too late for that, and is refused.
 * <p>
 * An application's own registry stays; its annotated listeners refuse to run without the
 * key of their message.
 */
final class ListenerRegistryReplacement implements BeanFactoryPostProcessor, SmartInitializingSingleton {

	private final String beanName;

	private final Class<?> original;

	private final Class<?> replacement;

	private final AnnotatedTypes types;

	/**
	 * The bean factory, if its registry is the original one.
	 */
	private @Nullable ConfigurableListableBeanFactory unchanged;

	ListenerRegistryReplacement(String beanName, Class<?> original, Class<?> replacement, AnnotatedTypes types) {
		this.beanName = beanName;
		this.original = original;
		this.replacement = replacement;
		this.types = types;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		if (!beanFactory.containsBeanDefinition(this.beanName)) {
			return;
		}
		BeanDefinition definition = beanFactory.getBeanDefinition(this.beanName);
		if (!this.original.getName().equals(definition.getBeanClassName())) {
			return;
		}
		if (hasListeners(beanFactory)) {
			definition.setBeanClassName(this.replacement.getName());
		}
		else {
			this.unchanged = beanFactory;
		}
	}

	private boolean hasListeners(ConfigurableListableBeanFactory beanFactory) {
		for (String name : beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Class<?> type = beanFactory.getType(name, false);
			if (type != null && this.types.of(type).findListener().isPresent()) {
				return true;
			}
		}
		return false;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beanFactory = this.unchanged;
		if (beanFactory == null) {
			return;
		}
		for (String name : beanFactory.getBeanDefinitionNames()) {
			Object bean = beanFactory.getSingleton(name);
			if (bean != null) {
				AnnotatedType type = this.types.of(AopProxyUtils.ultimateTargetClass(bean));
				type.findListener().ifPresent((listener) -> refuse(type, listener, name));
			}
		}
	}

	private static void refuse(AnnotatedType type, Method listener, String beanName) {
		throw new InvalidIdempotentException(
				"@Idempotent on the listener " + type.name(listener) + " has no effect: the declared type of the bean '"
						+ beanName + "' hides it.",
				"Declare " + type.type().getSimpleName() + " as the return type of the bean's @Bean method.");
	}

}
