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
package dev.idempotency.sample.demo;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Cuts the store off from a handler that was killed. A thread cleans up however it ends;
 * a process that is killed does nothing. The store therefore gets no further calls for
 * that request: its claim is not released, its heartbeat ends with the thread, and its
 * lease runs out. In the database this cannot be distinguished from {@code kill -9}.
 */
final class MortalStore implements BeanPostProcessor {

	/**
	 * Name of the recovery point stored with the charge, see {@code RideController}.
	 */
	private static final String STEP = "charge_created";

	/**
	 * The leases of killed handlers.
	 */
	private final Set<Lease> dead = ConcurrentHashMap.newKeySet();

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!(bean instanceof IdempotencyStore)) {
			return bean;
		}
		ProxyFactory proxies = new ProxyFactory(bean);
		proxies.addAdvice((MethodInterceptor) this::invoke);
		return proxies.getProxy(bean.getClass().getClassLoader());
	}

	private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (invocation.getArguments().length > 0 && invocation.getArguments()[0] instanceof Lease lease) {
			if (this.dead.contains(lease)) {
				return silence(invocation);
			}
			if (isLastMoment(invocation)) {
				this.dead.add(lease);
				throw new HandlerKilledError();
			}
		}
		return invocation.proceed();
	}

	private static boolean isLastMoment(MethodInvocation invocation) {
		RequestAttributes request = RequestContextHolder.getRequestAttributes();
		return request != null && DemoFault.KILL_AFTER_CHARGE.isBoundTo(request)
				&& invocation.getMethod().getName().equals("advance") && STEP.equals(invocation.getArguments()[2]);
	}

	private static @Nullable Object silence(MethodInvocation invocation) {
		if (invocation.getMethod().getReturnType() == void.class) {
			return null;
		}
		throw new HandlerKilledError();
	}

}
