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

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.idempotency.aop.AnnotatedTypes.AnnotatedType;
import dev.idempotency.aop.IdempotentAdvisor;

/**
 * The beans of annotated classes, each of which has to be a proxy with the aspect.
 */
final class AdvisedBeans {

	/**
	 * The name of a bean that is present in tests that replace beans, for instance by
	 * mocks.
	 */
	private static final String OVERRIDES = "org.springframework.test.context.bean.override.internalBeanOverridePostProcessor";

	private final ConfigurableListableBeanFactory beanFactory;

	private final EnforcementRules rules;

	/**
	 * The beans of annotated classes that were created without the aspect and are not
	 * checked yet: a bean in a circular dependency may have been replaced by its proxy.
	 */
	private final Map<String, AnnotatedType> unadvised = new ConcurrentHashMap<>();

	/**
	 * Beans in a circular dependency whose proxy was handed out before they were
	 * initialized.
	 */
	private final Set<String> early = ConcurrentHashMap.newKeySet();

	/**
	 * The beans of annotated classes that were created after this one.
	 */
	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	AdvisedBeans(ConfigurableListableBeanFactory beanFactory, EnforcementRules rules) {
		this.beanFactory = beanFactory;
		this.rules = rules;
	}

	/**
	 * Returns whether any bean of an annotated class was created.
	 */
	boolean areCreated() {
		return !this.unadvised.isEmpty() || !this.seen.isEmpty();
	}

	void addSeen(String name) {
		this.seen.add(name);
	}

	void addEarly(String name) {
		this.early.add(name);
	}

	/**
	 * Removes a bean from those whose proxy was handed out early.
	 * @return whether it was one of them
	 */
	boolean removeEarly(String name) {
		return this.early.remove(name);
	}

	void addUnadvised(String name, AnnotatedType type) {
		this.unadvised.put(name, type);
	}

	/**
	 * Checks the remaining beans that were created without the aspect.
	 */
	void requireRemaining() {
		this.unadvised.forEach(this::requireRemaining);
	}

	/**
	 * Requires a proxy with the aspect, even for a bean that was created before this
	 * object. A bean override in a test has no effects to protect.
	 */
	void require(String name, AnnotatedType type) {
		if (isProduct(name) || (!this.seen.contains(name) && this.beanFactory.containsBean(OVERRIDES))) {
			return;
		}
		this.unadvised.remove(name);
		requireAdvised(this.beanFactory.getSingleton(name), type);
	}

	/**
	 * Returns whether a bean is created by a factory or for a scope: it can only be
	 * checked when it is created.
	 */
	private boolean isProduct(String name) {
		return !this.beanFactory.containsSingleton(name) || this.beanFactory.isFactoryBean(name);
	}

	private void requireRemaining(String name, AnnotatedType type) {
		if (isProduct(name)) {
			throw this.rules.notAdvised(type);
		}
		requireAdvised(this.beanFactory.getSingleton(name), type);
	}

	private void requireAdvised(@Nullable Object bean, AnnotatedType type) {
		if (bean == null) {
			return;
		}
		if (!isAdvised(bean)) {
			throw this.rules.notAdvised(type);
		}
		this.rules.requireOrder(bean, type);
	}

	static boolean isAdvised(Object bean) {
		return bean instanceof AopInfrastructureBean || IdempotentAdvisor.advises(bean);
	}

}
