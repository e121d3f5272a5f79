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
package dev.idempotency.aop;

import java.io.NotSerializableException;
import java.io.ObjectStreamException;
import java.io.Serial;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Applies the aspect to annotated methods: after authorisation, so that a replay only
 * goes to callers who may call the method, and before transactions, which it opens
 * itself.
 */
public final class IdempotentAdvisor extends DefaultPointcutAdvisor implements BeanFactoryAware {

	/**
	 * The order, after Spring Security's interceptors (100 to 600) and before the
	 * transaction interceptor (lowest precedence).
	 */
	public static final int ORDER = 1000;

	@Serial
	private static final long serialVersionUID = 1L;

	private transient @Nullable BeanFactory beanFactory;

	/**
	 * Creates the advisor.
	 * @param endpoints protects endpoints
	 * @param operations protects all other methods
	 */
	public IdempotentAdvisor(ObjectProvider<EndpointProtection> endpoints,
			ObjectProvider<OperationProtection> operations) {
		super(new AnnotatedMethods(), new ClaimInterceptor(endpoints, operations));
		setOrder(ORDER);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * A proxy is serialised with its advisors, for example in a session. This one belongs
	 * to an application, not to a proxy: it is written as a reference to the bean.
	 */
	@Serial
	private Object writeReplace() throws ObjectStreamException {
		if (this.beanFactory == null) {
			throw new NotSerializableException(getClass().getName() + " without a bean factory");
		}
		return new Reference(this.beanFactory);
	}

	/**
	 * Returns whether calls of a bean pass the aspect.
	 * @param bean a bean of a class with annotated methods
	 * @return {@code false} if it is not a proxy, or a proxy without the aspect
	 */
	public static boolean advises(Object bean) {
		return bean instanceof Advised advised && Stream.of(advised.getAdvisors()).anyMatch(IdempotentAdvisor::isClaim);
	}

	/**
	 * Returns whether an advisor makes the claim.
	 */
	static boolean isClaim(Advisor advisor) {
		return advisor.getAdvice() instanceof ClaimInterceptor;
	}

	/**
	 * Passes the invocation of an annotated method to its protection. The collaborators
	 * are looked up at the first invocation: the advisor would otherwise create half of
	 * the application's beans while proxies are created.
	 */
	private static final class ClaimInterceptor implements MethodInterceptor {

		private final SingletonSupplier<Protections> protections;

		/**
		 * The endpoints that were called, whose advisors are in order.
		 */
		private final Set<MethodClassKey> endpoints = ConcurrentHashMap.newKeySet();

		ClaimInterceptor(ObjectProvider<EndpointProtection> endpoints, ObjectProvider<OperationProtection> operations) {
			this.protections = SingletonSupplier
				.of(() -> new Protections(endpoints.getIfAvailable(), operations.getObject()));
		}

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			Protections found = this.protections.obtain();
			Object target = invocation.getThis();
			Class<?> type = (target != null) ? ClassUtils.getUserClass(target)
					: invocation.getMethod().getDeclaringClass();
			EndpointProtection endpoint = endpoint(found, invocation, type);
			return (endpoint != null) ? endpoint.invoke(invocation) : found.operation().invoke(invocation, type);
		}

		/**
		 * Returns the protection of an endpoint, {@code null} for any other method. A
		 * method that is no endpoint may become one, by a mapping that is registered
		 * later.
		 */
		private @Nullable EndpointProtection endpoint(Protections found, MethodInvocation invocation, Class<?> type) {
			EndpointProtection endpoint = found.endpoint();
			MethodClassKey key = new MethodClassKey(invocation.getMethod(), type);
			if (endpoint != null && !this.endpoints.contains(key)) {
				if (!endpoint.isEndpoint(invocation.getMethod(), type)) {
					return null;
				}
				AdvisorOrder.require(invocation, type, AdvisorOrder.Kind.ENDPOINT);
				this.endpoints.add(key);
			}
			return endpoint;
		}

		private record Protections(@Nullable EndpointProtection endpoint, OperationProtection operation) {
		}

	}

	/**
	 * Matches annotated methods. Called for all methods of all beans while an application
	 * starts.
	 */
	private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

		AnnotatedMethods() {
			setClassFilter((type) -> !AnnotatedType.of(type).isEmpty());
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return method.getDeclaringClass() != Object.class && !AnnotatedType.of(targetClass).isEmpty()
					&& AnnotatedType.annotation(method, targetClass) != null;
		}

	}

	/**
	 * The serialised form, in which a bean factory is written as its id.
	 */
	private record Reference(BeanFactory beanFactory) implements Serializable {

		@Serial
		private Object readResolve() {
			return this.beanFactory.getBean(IdempotentAdvisor.class);
		}

	}

}
