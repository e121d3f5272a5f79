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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.UnfinishedStore;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Does something once, before or after the next call of a method of the store, or of the
 * store of unfinished requests.
 */
public class StoreHook implements BeanPostProcessor {

	private final Map<String, Runnable> before = new ConcurrentHashMap<>();

	private final Map<String, Runnable> after = new ConcurrentHashMap<>();

	/**
	 * Before the method is called; what is thrown takes its place.
	 */
	public void before(String method, Runnable hook) {
		this.before.put(method, hook);
	}

	/**
	 * After it has returned; what is thrown takes the place of its result.
	 */
	public void after(String method, Runnable hook) {
		this.after.put(method, hook);
	}

	/**
	 * Forgets what is left.
	 */
	public void clear() {
		this.before.clear();
		this.after.clear();
	}

	/**
	 * Returns whether no hook is left over.
	 */
	public boolean isDone() {
		return this.before.isEmpty() && this.after.isEmpty();
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (!(bean instanceof IdempotencyStore || bean instanceof UnfinishedStore)) {
			return bean;
		}
		ProxyFactory proxy = new ProxyFactory(bean);
		proxy.addAdvice((MethodInterceptor) (invocation) -> {
			String method = invocation.getMethod().getName();
			run(this.before.remove(method));
			Object result = invocation.proceed();
			run(this.after.remove(method));
			return result;
		});
		return proxy.getProxy();
	}

	private static void run(Runnable hook) {
		if (hook != null) {
			hook.run();
		}
	}

}
