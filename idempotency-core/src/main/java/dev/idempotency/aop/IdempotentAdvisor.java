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
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ObjectProvider;

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
	 * @param types the annotated methods of bean classes
	 */
	public IdempotentAdvisor(ObjectProvider<EndpointProtection> endpoints,
			ObjectProvider<OperationProtection> operations, AnnotatedTypes types) {
		super(new AnnotatedMethods(types), new IdempotentMethodInterceptor(endpoints, operations));
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
		return bean instanceof Advised advised && Stream.of(advised.getAdvisors())
			.anyMatch((advisor) -> advisor.getAdvice() instanceof IdempotentMethodInterceptor);
	}

	/**
	 * Matches annotated methods. Called for all methods of all beans while an application
	 * starts.
	 */
	private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

		private final AnnotatedTypes types;

		AnnotatedMethods(AnnotatedTypes types) {
			this.types = types;
			setClassFilter((type) -> !types.of(type).isEmpty());
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return method.getDeclaringClass() != Object.class && !this.types.of(targetClass).isEmpty()
					&& IdempotentAnnotations.find(method, targetClass) != null;
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
