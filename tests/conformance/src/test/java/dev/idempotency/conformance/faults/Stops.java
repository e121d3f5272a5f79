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
package dev.idempotency.conformance.faults;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore;

/**
 * Stops requests at the {@link StopPoint} that their header names: around the store, in a
 * callback of the transaction, and around the response.
 */
@Configuration(proxyBeanMethods = false)
class Stops {

	static final String HEADER = "Stop-At";

	static final String REACHED = "REACHED ";

	private static final CountDownLatch RESUMED = new CountDownLatch(1);

	/**
	 * Stops here if the current request is to be stopped here.
	 */
	static void reach(StopPoint point) {
		if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
			reach(point, attributes.getRequest());
		}
	}

	/**
	 * Stops at a place in a ride, if the current request is to be stopped there.
	 */
	static void reach(String place) {
		if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
			reach(place, attributes.getRequest());
		}
	}

	private static void reach(StopPoint point, HttpServletRequest request) {
		reach(point.name(), request);
	}

	private static void reach(String point, HttpServletRequest request) {
		if (!point.equals(request.getHeader(HEADER))) {
			return;
		}
		System.out.println(REACHED + request.getRequestURI() + " " + point);
		try {
			RESUMED.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Lets everything go on that has stopped.
	 */
	static void resume() {
		RESUMED.countDown();
	}

	@Bean
	static BeanPostProcessor stoppingStore() {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				return (bean instanceof IdempotencyStore store) ? stopping(store) : bean;
			}

		};
	}

	private static Object stopping(IdempotencyStore store) {
		return Proxy.newProxyInstance(Stops.class.getClassLoader(), new Class<?>[] { LeaseStore.class },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "acquire", "lease" -> {
						reach(StopPoint.BEFORE_CLAIM);
						Object attempt = invoke(store, method, arguments);
						reach(StopPoint.AFTER_CLAIM);
						yield attempt;
					}
					case "finish", "finishWithCommit", "finishAtCommit", "finishAfterRollback" -> {
						reach(StopPoint.BEFORE_FINISH);
						Object won = invoke(store, method, arguments);
						stopAfterCommit();
						reach(StopPoint.AFTER_FINISH);
						yield won;
					}
					case "advance" -> {
						Object advanced = invoke(store, method, arguments);
						reach("advanced-" + arguments[2]);
						yield advanced;
					}
					default -> invoke(store, method, arguments);
				});
	}

	private static Object invoke(IdempotencyStore store, Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(store, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private static void stopAfterCommit() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					reach(StopPoint.AFTER_COMMIT);
				}

			});
		}
	}

	@Bean
	static Filter stoppingResponse() {
		return (request, response, chain) -> chain.doFilter(request,
				new HttpServletResponseWrapper((HttpServletResponse) response) {

					@Override
					public void setStatus(int status) {
						reach(StopPoint.BEFORE_FIRST_BYTE, (HttpServletRequest) request);
						super.setStatus(status);
					}

				});
	}

}
