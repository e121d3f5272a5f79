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

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicInteger;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * The body of a protected method under one claim. Its entries are counted where they
 * happen, behind all other advice of the proxy:
 * <ol>
 * <li>The claim attaches a count to the invocation. Clones of an invocation, by which
 * advice calls it again, share it.</li>
 * <li>The innermost advice counts each entry and refuses the second one, before the body
 * runs again.</li>
 * <li>When the invocation returns, its value has to come from a body that has returned. A
 * value from elsewhere, such as a fallback or a cache, is refused.</li>
 * </ol>
 * A refusal is thrown to the claim, whatever the advice has made of it, and rolls back.
 */
public final class ClaimedBody {

	private static final String ENTRIES = ClaimedBody.class.getName();

	private ClaimedBody() {
	}

	/**
	 * Proceeds with the invocation of a claimed method.
	 * @param invocation the invocation of its proxy
	 * @return the return value of the body
	 * @throws InvalidIdempotentException if advice has called the body again or has
	 * returned something in its place
	 * @throws Throwable the exception of the method
	 */
	public static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
		if (!(invocation instanceof ProxyMethodInvocation called)) {
			return invocation.proceed();
		}
		Entries entries = new Entries(invocation);
		called.setUserAttribute(ENTRIES, entries);
		Object result;
		try {
			result = invocation.proceed();
		}
		catch (Throwable ex) {
			entries.requireOne(ex);
			throw ex;
		}
		finally {
			called.setUserAttribute(ENTRIES, null);
		}
		entries.requireResult();
		return result;
	}

	/**
	 * Creates the processor that adds the innermost advice.
	 * @return a processor that runs behind those that create proxies
	 */
	public static BeanPostProcessor processor() {
		return new Processor();
	}

	/**
	 * Adds the innermost advice to the proxies that have the aspect. It runs behind the
	 * post-processors that create proxies or add advice to them. The advice matches every
	 * method, and counts only where a claim has attached a count: a pointcut would have
	 * to be serializable for beans of sessions.
	 */
	private static final class Processor implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (bean instanceof Advised advised && !advised.isFrozen()) {
				for (Advisor advisor : advised.getAdvisors()) {
					if (advisor instanceof IdempotentAdvisor) {
						advised.addAdvisor(new DefaultPointcutAdvisor(new Innermost()));
						break;
					}
				}
			}
			return bean;
		}

	}

	/**
	 * The innermost advice.
	 */
	static final class Innermost implements MethodInterceptor, Serializable {

		private static final long serialVersionUID = 1L;

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			Entries entries = (Entries) ((ProxyMethodInvocation) invocation).getUserAttribute(ENTRIES);
			return (entries != null) ? entries.enter(invocation) : invocation.proceed();
		}

	}

	/**
	 * The entries into one body under one claim.
	 */
	private static final class Entries {

		private final MethodInvocation invocation;

		private final AtomicInteger count = new AtomicInteger();

		private volatile boolean returned;

		Entries(MethodInvocation invocation) {
			this.invocation = invocation;
		}

		@Nullable Object enter(MethodInvocation body) throws Throwable {
			if (this.count.incrementAndGet() > 1) {
				throw calledAgain();
			}
			Object result = body.proceed();
			this.returned = true;
			return result;
		}

		void requireOne(@Nullable Throwable failure) {
			if (this.count.get() > 1) {
				InvalidIdempotentException refusal = calledAgain();
				if (failure != null && failure != refusal) {
					refusal.addSuppressed(failure);
				}
				throw refusal;
			}
		}

		void requireResult() {
			requireOne(null);
			if (!this.returned) {
				throw new InvalidIdempotentException("Advice of " + method()
						+ " has returned a value in place of its body, which "
						+ ((this.count.get() == 0) ? "did not run" : "has failed")
						+ ": a retry would be answered with the result of an execution that did not take place.",
						"Move the fallback to the method of a service that the protected method calls, or throw an "
								+ "exception.");
			}
		}

		private InvalidIdempotentException calledAgain() {
			return new InvalidIdempotentException(
					"Advice of " + method() + " has called its body again: a claim has one execution, and its effects "
							+ "would exist twice.",
					"Move the retry to the method of a service that the protected method calls.");
		}

		private String method() {
			return this.invocation.getMethod().getDeclaringClass().getSimpleName() + "#"
					+ this.invocation.getMethod().getName();
		}

	}

}
