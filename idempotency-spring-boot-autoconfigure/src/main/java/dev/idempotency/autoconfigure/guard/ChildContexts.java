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

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

import dev.idempotency.aop.AnnotatedTypes;
import dev.idempotency.aop.AnnotatedTypes.AnnotatedType;
import dev.idempotency.exception.UnenforcedIdempotentException;

/**
 * Refuses annotated beans of child contexts, such as that of a second dispatcher servlet,
 * that would run unprotected: bean post-processors of the application do not see them,
 * and its dispatcher servlet does not lead requests to them.
 */
final class ChildContexts implements ApplicationListener<ContextRefreshedEvent> {

	private final ApplicationContext parent;

	private final AnnotatedTypes types;

	ChildContexts(ApplicationContext parent, AnnotatedTypes types) {
		this.parent = parent;
		this.types = types;
	}

	/**
	 * Receives the events of child contexts as well. An exception ends their refresh.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() instanceof ConfigurableApplicationContext child && child != this.parent
				&& !child.getBeanFactory().containsLocalBean(EnforcementGuard.NAME)) {
			requireProtected(child.getBeanFactory());
		}
	}

	private void requireProtected(ConfigurableListableBeanFactory beans) {
		for (String name : beans.getBeanDefinitionNames()) {
			Class<?> bean = AutoProxyUtils.determineTargetClass(beans, name);
			AnnotatedType type = (bean != null) ? this.types.of(bean) : null;
			if (type != null && !type.operations().isEmpty() && !isProtected(type, beans.getSingleton(name))) {
				throw new UnenforcedIdempotentException(type.operations().stream().map(type::name).distinct().toList(),
						"It is a bean of a child context, which the library does not protect.",
						"Declare it in the application's own context, whose DispatcherServlet is protected.");
			}
		}
	}

	/**
	 * Proxies that the child creates have the aspect of its parent. That is all that
	 * operations need, apart from endpoints.
	 */
	private static boolean isProtected(AnnotatedType type, @Nullable Object bean) {
		return bean != null && AdvisedBeans.isAdvised(bean) && type.operations().stream().noneMatch(type::isEndpoint);
	}

}
