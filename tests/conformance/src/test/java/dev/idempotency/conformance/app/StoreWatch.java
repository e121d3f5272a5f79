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
package dev.idempotency.conformance.app;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyStore;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Counts what is asked of the store.
 */
public class StoreWatch implements BeanPostProcessor {

	private final AtomicInteger calls = new AtomicInteger();

	private final Set<Thread> refused = ConcurrentHashMap.newKeySet();

	/**
	 * Returns the number of calls of the store for a request; the reaper's calls do not
	 * count.
	 */
	public int calls() {
		return this.calls.get();
	}

	/**
	 * Returns the number of threads that were refused because of another owner.
	 */
	public int refused() {
		return this.refused.size();
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (!(bean instanceof IdempotencyStore)) {
			return bean;
		}
		ProxyFactory proxy = new ProxyFactory(bean);
		proxy.addAdvice((MethodInterceptor) (invocation) -> {
			if (!invocation.getMethod().getName().startsWith("delete")) {
				this.calls.incrementAndGet();
			}
			Object result = invocation.proceed();
			if (result instanceof ClaimResult.Busy) {
				this.refused.add(Thread.currentThread());
			}
			return result;
		});
		return proxy.getProxy();
	}

}
