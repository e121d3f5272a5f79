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
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AbstractAdvisorAutoProxyCreator;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.aop.AdvisorOrder;
import dev.idempotency.aop.AdvisorOrder.Kind;
import dev.idempotency.aop.AnnotatedType;
import dev.idempotency.aop.EndpointProtection;
import dev.idempotency.aop.OperationProtection;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.UnenforcedIdempotentException;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore;

/**
 * The requirements for the protection of an annotated operation.
 */
final class EnforcementRules {

	private static final String SERVLET_CONTEXT = "org.springframework.web.context.WebApplicationContext";

	private static final String REACTIVE_MAPPING = "org.springframework.web.reactive.HandlerMapping";

	private final ConfigurableApplicationContext context;

	private @Nullable Boolean engine;

	EnforcementRules(ConfigurableApplicationContext context) {
		this.context = context;
	}

	boolean hasEngine() {
		Boolean found = this.engine;
		if (found == null) {
			found = hasBean(IdempotencyEngine.class);
			this.engine = found;
		}
		return found;
	}

	private boolean hasBean(Class<?> type) {
		return this.context.getBeanFactory().getBeanNamesForType(type, true, false).length > 0;
	}

	UnenforcedIdempotentException withoutEngine(List<AnnotatedType> types) {
		MissingEngine missing = MissingEngine.in(this.context.getBeanFactory());
		return new UnenforcedIdempotentException(
				types.stream().flatMap((type) -> type.operations().stream().map(type::name)).distinct().toList(),
				missing.reason(),
				missing.action() + " To run the operations unprotected, set idempotency.enabled=false.");
	}

	/**
	 * Refuses annotations that are invalid, or that nothing enforces.
	 */
	void requireProtected(AnnotatedType type) {
		boolean any = false;
		for (Method method : type.operations()) {
			any |= isProtected(method, type);
		}
		if (!any && type.own().isEmpty() && type.declared() && isWeb()) {
			throw new InvalidIdempotentException(
					"@Idempotent on the class " + type.type().getName()
							+ " has no effect: none of its methods is an operation with effects.",
					"Remove the annotation, or move it to the methods to protect.");
		}
	}

	/**
	 * Refuses operations in mode LEASED if the store keeps no leases. A store whose
	 * declared type keeps leases is not created for this check.
	 */
	void requireLeases() {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		if (beanFactory.getBeanNamesForType(LeaseStore.class, true, false).length > 0) {
			return;
		}
		OperationFactory operations = this.context.getBeanProvider(OperationFactory.class).getIfAvailable();
		if (operations == null) {
			return;
		}
		operations.all()
			.stream()
			.sorted(Comparator.comparing(IdempotentOperation::name))
			.filter((operation) -> operation.mode() == Mode.LEASED)
			.findFirst()
			.ifPresent((operation) -> LeaseKeeper.requireLeases(beanFactory.getBean(IdempotencyStore.class),
					"@Idempotent on " + operation.name()));
	}

	/**
	 * Refuses a proxy that would not authorise again before a replay.
	 */
	void requireOrder(Object bean, AnnotatedType type) {
		EndpointProtection endpoints = this.context.getBeanProvider(EndpointProtection.class).getIfAvailable();
		for (Method method : type.operations()) {
			boolean endpoint = endpoints != null && endpoints.isEndpoint(method, type.type());
			Kind kind = type.isListener(method) ? Kind.LISTENER : Kind.OPERATION;
			AdvisorOrder.require(bean, method, type.type(), endpoint ? Kind.ENDPOINT : kind);
		}
	}

	private boolean isProtected(Method method, AnnotatedType type) {
		requireInterceptable(method, type);
		EndpointProtection endpoints = this.context.getBeanProvider(EndpointProtection.class).getIfAvailable();
		if (endpoints != null && endpoints.isEndpoint(method, type.type())) {
			return endpoints.protects(method, type.type());
		}
		if (endpoints == null && type.isEndpoint(method)) {
			requireNoWeb(method, type);
			return false;
		}
		return this.context.getBean(OperationProtection.class).resolve(method, type.type()).isPresent();
	}

	private static void requireInterceptable(Method method, AnnotatedType type) {
		int modifiers = method.getModifiers();
		if ((modifiers & (Modifier.FINAL | Modifier.PRIVATE | Modifier.STATIC)) != 0) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + type.name(method)
							+ " has no effect: a proxy cannot intercept a method that is final, private or static.",
					"Remove the modifier.");
		}
	}

	/**
	 * Refuses annotated controllers in an application without a web server, where they
	 * receive no requests.
	 */
	private void requireNoWeb(Method method, AnnotatedType type) {
		if (isWeb()) {
			throw new UnenforcedIdempotentException(List.of(type.name(method)),
					isReactive()
							? "It is an endpoint of Spring WebFlux, and only endpoints of Spring MVC can be protected."
							: "It is an endpoint, and the library's support of Spring MVC is not active.",
					isReactive()
							? "Use spring-boot-starter-webmvc, or move the annotation to the service method that "
									+ "the endpoint calls: @Idempotent(key = \"#command.id()\")."
							: "Do not exclude IdempotencyWebMvcAutoConfiguration.");
		}
	}

	private boolean isWeb() {
		Class<?> servlets = LibraryBeans.find(SERVLET_CONTEXT, this.context.getClassLoader());
		return isReactive() || (servlets != null && servlets.isInstance(this.context));
	}

	private boolean isReactive() {
		return LibraryBeans.names(this.context.getBeanFactory(), REACTIVE_MAPPING).length > 0;
	}

	/**
	 * Requires that a bean's proxy can be a subclass, where it has to be one.
	 */
	void requireProxyable(Class<?> type, String beanName, AnnotatedType annotated) {
		boolean closed = (Modifier.isFinal(type.getModifiers()) || type.isSealed()) && !Proxy.isProxyClass(type);
		if (closed && needsSubclass(type, beanName)) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + annotated.name(annotated.operations().get(0)) + " has no effect: the class "
							+ type.getName() + " is " + kind(type) + ", and cannot be proxied with a subclass.",
					"Make it a class that is neither final nor sealed"
							+ (type.isRecord() ? ", and not a record." : "."));
		}
	}

	private static String kind(Class<?> type) {
		if (type.isRecord()) {
			return "a record";
		}
		if (type.isEnum()) {
			return "an enum";
		}
		return type.isSealed() ? "sealed" : "final";
	}

	private boolean needsSubclass(Class<?> type, String beanName) {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		return AutoProxyUtils.shouldProxyTargetClass(beanFactory, beanName)
				|| ClassUtils.getAllInterfacesForClass(type).length == 0
				|| (beanFactory.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
						&& beanFactory
							.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig config
						&& config.isProxyTargetClass());
	}

	RuntimeException notAdvised(AnnotatedType type) {
		List<String> names = type.operations().stream().map(type::name).distinct().toList();
		if (!hasBean(AbstractAdvisorAutoProxyCreator.class)) {
			return new UnenforcedIdempotentException(names,
					"Spring creates no proxies in this application: the auto-proxy creator is missing.",
					"Remove spring.aop.auto=false, or add @EnableAspectJAutoProxy to a configuration.");
		}
		return new InvalidIdempotentException(
				"@Idempotent on " + String.join(", ", names) + " has no effect: the bean of " + type.type().getName()
						+ " is not proxied.",
				"Let Spring create the bean, by a component scan or a @Bean method, and not as early as a "
						+ "BeanPostProcessor or its dependencies.");
	}

}
