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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;

import dev.idempotency.aop.AnnotatedType;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.exception.UnenforcedIdempotentException;

/**
 * Refuses to start an application in which an annotated operation is not protected.
 * <ol>
 * <li>When all singletons exist, the classes of all beans are searched, including the
 * classes of beans that are created later, without creating any. The annotation must be
 * valid and enforced.</li>
 * <li>Existing beans with annotated methods must be proxies with the aspect.</li>
 * <li>A bean that is created later, lazily or for a scope, is checked then.</li>
 * <li>Beans of child contexts, such as the context of a second dispatcher servlet, are
 * checked when these have been refreshed: bean post-processors of the application do not
 * see them, and its dispatcher servlet does not route requests to them.</li>
 * </ol>
 * It needs neither a store nor an engine, and reports their absence first.
 */
final class EnforcementGuard implements SmartInitializingSingleton, SmartInstantiationAwareBeanPostProcessor,
		SmartLifecycle, ApplicationListener<ContextRefreshedEvent>, Ordered {

	static final String NAME = "idempotencyEnforcementGuard";

	/**
	 * The name of a bean that is present in tests that replace beans, for instance by
	 * mocks.
	 */
	private static final String OVERRIDES = "org.springframework.test.context.bean.override.internalBeanOverridePostProcessor";

	private final ConfigurableApplicationContext context;

	private final ConfigurableListableBeanFactory beanFactory;

	private final EnforcementRules rules;

	private final DeferredActivation use;

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

	private volatile boolean started;

	private volatile boolean running;

	EnforcementGuard(ConfigurableApplicationContext context, DeferredActivation use) {
		this.use = use;
		this.context = context;
		this.rules = new EnforcementRules(context);
		this.beanFactory = context.getBeanFactory();
	}

	/**
	 * Runs after the creator of proxies.
	 */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void afterSingletonsInstantiated() {
		List<AnnotatedType> unprotected = new ArrayList<>();
		boolean annotated = !this.unadvised.isEmpty() || !this.seen.isEmpty();
		for (String name : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			AnnotatedType type = typeOf(name);
			if (type != null && !type.operations().isEmpty()) {
				annotated = true;
				if (this.rules.hasEngine()) {
					this.rules.requireProtected(type);
					requireAdvised(name, type);
				}
				else {
					unprotected.add(type);
				}
			}
		}
		if (!unprotected.isEmpty()) {
			throw this.rules.withoutEngine(unprotected);
		}
		this.unadvised.forEach(this::requireRemaining);
		this.use.begin(this.beanFactory, annotated);
		this.started = true;
	}

	/**
	 * Runs when all operations are known and no server accepts requests yet.
	 */
	@Override
	public void start() {
		if (this.rules.hasEngine()) {
			this.rules.requireLeases();
		}
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Runs before all other lifecycle beans, including web servers.
	 */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

	private @Nullable AnnotatedType typeOf(String name) {
		if (LibraryBeans.isOwn(this.beanFactory, name)) {
			return null;
		}
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
		// The target of a scope is a bean as well.
		return (type == null || ScopedObject.class.isAssignableFrom(type)) ? null : AnnotatedType.of(type);
	}

	/**
	 * Requires a proxy with the aspect, even for a bean that was created before this
	 * object. A bean override in a test has no effects to protect.
	 */
	private void requireAdvised(String name, AnnotatedType type) {
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

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		this.early.add(beanName);
		return bean;
	}

	/**
	 * Checks before a proxy of the bean is created, which would hide details of the
	 * problem.
	 */
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (LibraryBeans.isOwn(this.beanFactory, beanName)) {
			return bean;
		}
		Class<?> type = bean.getClass();
		AnnotatedType annotated = AnnotatedType.of(type);
		if (annotated.isEmpty() || annotated.operations().isEmpty()) {
			return bean;
		}
		this.seen.add(beanName);
		if (this.rules.hasEngine()) {
			this.rules.requireProxyable(type, beanName, annotated);
		}
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		this.use.beginLate(this.beanFactory, bean);
		if (LibraryBeans.isOwn(this.beanFactory, beanName) || isAdvised(bean)) {
			return bean;
		}
		AnnotatedType type = AnnotatedType.of(bean.getClass());
		if (type.isEmpty() || type.operations().isEmpty()) {
			return bean;
		}
		if (!this.started) {
			if (this.rules.hasEngine()) {
				this.unadvised.put(beanName, type);
			}
		}
		else if (!this.rules.hasEngine()) {
			throw this.rules.withoutEngine(List.of(type));
		}
		else if (!this.early.remove(beanName)) {
			throw this.rules.notAdvised(type);
		}
		return bean;
	}

	/**
	 * Receives the events of child contexts as well. An exception ends their refresh.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() instanceof ConfigurableApplicationContext child && child != this.context
				&& !child.getBeanFactory().containsLocalBean(NAME)) {
			requireProtected(child.getBeanFactory());
		}
	}

	private void requireProtected(ConfigurableListableBeanFactory beans) {
		for (String name : beans.getBeanDefinitionNames()) {
			Class<?> bean = AutoProxyUtils.determineTargetClass(beans, name);
			AnnotatedType type = (bean != null) ? AnnotatedType.of(bean) : null;
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
		return bean != null && isAdvised(bean) && type.operations().stream().noneMatch(type::isEndpoint);
	}

}
