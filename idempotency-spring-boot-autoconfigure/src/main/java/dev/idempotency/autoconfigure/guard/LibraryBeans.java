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

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;

import dev.idempotency.engine.IdempotencyEngine;

/**
 * Identifies the beans of the library. Their classes are named, not linked: an
 * application need not have them.
 */
final class LibraryBeans {

	/**
	 * A bean that gets one of these has access to the records.
	 */
	static final List<String> ENTRIES = List.of("dev.idempotency.store.jpa.IdempotencyRecordRepository",
			"dev.idempotency.store.jdbc.StoreConnections", IdempotencyEngine.class.getName());

	private LibraryBeans() {
	}

	/**
	 * Returns whether the library has defined a bean.
	 */
	static boolean isOwn(BeanDefinition definition) {
		return isOwn(definition.getFactoryBeanName()) || isOwn(definition.getBeanClassName())
				|| isOwn(factoryMethod(definition));
	}

	/**
	 * Returns whether a bean of the library only holds the methods that create others.
	 */
	static boolean isConfiguration(BeanDefinition definition) {
		return isOwn(definition.getBeanClassName()) && definition.getFactoryMethodName() == null
				&& factoryMethod(definition) == null;
	}

	static boolean isOwn(ConfigurableListableBeanFactory beanFactory, String name) {
		return beanFactory.containsBeanDefinition(name) && isOwn(beanFactory.getBeanDefinition(name));
	}

	static boolean isOwn(@Nullable String className) {
		if (className == null || !className.startsWith("dev.idempotency.")) {
			return false;
		}
		int nested = className.indexOf('$');
		String outer = (nested > 0) ? className.substring(0, nested) : className;
		return outer.equals("dev.idempotency.web.RequestPathConfiguration")
				|| (outer.startsWith("dev.idempotency.autoconfigure.") && outer.endsWith("Configuration"));
	}

	/**
	 * Returns whether a bean has properties of the library, by the name that Spring Boot
	 * gives it: the prefix and the class.
	 */
	static boolean isProperties(String name) {
		return name.startsWith("idempotency") && name.contains("-dev.idempotency.");
	}

	private static @Nullable Method factoryMethod(BeanDefinition definition) {
		return (definition instanceof RootBeanDefinition root) ? root.getResolvedFactoryMethod() : null;
	}

	private static boolean isOwn(@Nullable Method method) {
		return method != null && isOwn(method.getDeclaringClass().getName());
	}

	/**
	 * Returns whether a bean of the application was injected with access to the records.
	 */
	static boolean isEntered(ConfigurableListableBeanFactory beanFactory) {
		return ENTRIES.stream()
			.flatMap((type) -> Stream.of(names(beanFactory, type)))
			.anyMatch(beanFactory::containsSingleton);
	}

	/**
	 * Finds the names of the beans of a class that may be missing.
	 */
	static String[] names(ConfigurableListableBeanFactory beanFactory, String className) {
		Class<?> type = find(className, beanFactory.getBeanClassLoader());
		return (type != null) ? beanFactory.getBeanNamesForType(type, true, false) : new String[0];
	}

	static @Nullable Class<?> find(String className, @Nullable ClassLoader classLoader) {
		return ClassUtils.isPresent(className, classLoader) ? ClassUtils.resolveClassName(className, classLoader)
				: null;
	}

	/**
	 * Returns whether a bean gives access to the records.
	 */
	static boolean isEntry(Object bean) {
		return ENTRIES.stream()
			.map((type) -> find(type, bean.getClass().getClassLoader()))
			.anyMatch((type) -> type != null && type.isInstance(bean));
	}

}
