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
package dev.idempotency.autoconfigure;

import java.lang.reflect.Method;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

import dev.idempotency.Idempotent;
import dev.idempotency.aop.AdvisorOrder;
import dev.idempotency.aop.EndpointInvoker;
import dev.idempotency.aop.IdempotentAnnotations;
import dev.idempotency.aop.OperationInvoker;

/**
 * Resolves the annotated methods of all beans that are no endpoints when the application
 * starts, so that a mistake is found then and not at the first call.
 */
final class OperationValidator implements SmartInitializingSingleton, ApplicationContextAware {

	private @Nullable ConfigurableApplicationContext context;

	@Override
	public void setApplicationContext(ApplicationContext applicationContext) {
		this.context = (ConfigurableApplicationContext) applicationContext;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.context == null) {
			return;
		}
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		for (String name : beanFactory.getBeanNamesForType(Object.class, false, false)) {
			Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, name);
			if (type != null && AnnotationUtils.isCandidateClass(type, Idempotent.class)
					&& !type.getName().startsWith("org.springframework.")) {
				validate(ClassUtils.getUserClass(type), beanFactory.getSingleton(name));
			}
		}
	}

	private void validate(Class<?> type, @Nullable Object bean) {
		Set<Method> methods = MethodIntrospector
			.selectMethods(type,
					(MethodIntrospector.MetadataLookup<Boolean>) (
							method) -> (IdempotentAnnotations.find(method, type) != null) ? Boolean.TRUE : null)
			.keySet();
		if (methods.isEmpty() || this.context == null) {
			return;
		}
		EndpointInvoker endpoints = this.context.getBeanProvider(EndpointInvoker.class).getIfAvailable();
		OperationInvoker operations = this.context.getBean(OperationInvoker.class);
		for (Method method : methods) {
			if (endpoints == null || !endpoints.isEndpoint(method)) {
				operations.validate(method, type);
				if (bean != null) {
					AdvisorOrder.require(bean, method, type, AdvisorOrder.Kind.OPERATION);
				}
			}
		}
	}

}
