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
package dev.idempotency.history;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

import javax.sql.DataSource;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.mock.web.MockHttpServletResponse;

/**
 * Plants a defect around the store of a node, or none. Handlers tell it their answers.
 */
@Configuration(proxyBeanMethods = false)
class Plants {

	/** One in this number. */
	private static final int RARELY = 6;

	private static final ThreadLocal<StoredResponse> ANSWER = new ThreadLocal<>();

	private record StoredResponse(int status, String body) {

	}

	/**
	 * A handler of this thread has made an answer.
	 */
	static void made(int status, String body) {
		ANSWER.set(new StoredResponse(status, body));
	}

	@Bean
	static BeanPostProcessor planting(ObjectProvider<DataSource> dataSource, Environment environment) {
		String name = environment.getProperty(Plant.PROPERTY, "");
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				if (name.isEmpty()) {
					return bean;
				}
				Plant plant = Plant.valueOf(name);
				if (bean instanceof LeaseStore store) {
					return proxy(LeaseStore.class, new PlantedStore(store, plant, dataSource));
				}
				if (bean instanceof UnfinishedStore store && plant == Plant.ABANDON_BLIND) {
					return proxy(UnfinishedStore.class,
							(proxy, method, arguments) -> abandonBlindly(store, method, arguments));
				}
				return bean;
			}

		};
	}

	private static Object proxy(Class<?> type, InvocationHandler handler) {
		return Proxy.newProxyInstance(Plants.class.getClassLoader(), new Class<?>[] { type }, handler);
	}

	private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
			throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private static @Nullable Object abandonBlindly(UnfinishedStore store, Method method, Object @Nullable [] arguments)
			throws Throwable {
		if (method.getName().equals("claim") && arguments != null) {
			UnfinishedRecord seen = (UnfinishedRecord) arguments[0];
			Optional<UnfinishedRecord> present = store.find(seen.lease().identity());
			return present.isPresent() ? invoke(store, method, new Object[] { present.get(), arguments[1] })
					: Optional.empty();
		}
		Object result = invoke(store, method, arguments);
		return (method.getName().equals("find") && result instanceof Optional<?> found)
				? found.map(UnfinishedRecord.class::cast).map(Plants::withoutEffects) : result;
	}

	private static UnfinishedRecord withoutEffects(UnfinishedRecord found) {
		return new UnfinishedRecord(found.lease(), found.operation(), found.fingerprint(), found.createdAt(),
				found.leaseUntil(), found.running(), false, found.progress(), found.command(), found.retryAt(),
				found.stuckAt(), found.lastError(), found.node());
	}

	private record PlantedStore(LeaseStore store, Plant plant, ObjectProvider<DataSource> dataSource,
			Set<Lease> imagined) implements InvocationHandler {

		PlantedStore(LeaseStore store, Plant plant, ObjectProvider<DataSource> dataSource) {
			this(store, plant, dataSource, ConcurrentHashMap.newKeySet());
		}

		@Override
		public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
			String name = method.getName();
			if (arguments != null && arguments.length > 0 && arguments[0] instanceof Lease lease
					&& this.imagined.contains(lease)) {
				return imagined(method);
			}
			return switch (this.plant) {
				case ANSWER_NOT_STORED -> name.startsWith("finish") && rarely() ? true : real(method, arguments);
				case NOTHING_COMMITTED ->
					name.equals("finishWithCommit") && rarely() ? rollBack() : real(method, arguments);
				case ANSWER_BEFORE_COMMIT -> {
					if (name.startsWith("finish")) {
						EarlyAnswer.send();
					}
					yield real(method, arguments);
				}
				case FENCE_IGNORED -> switch (name) {
					case "confirm", "confirmWithCommit", "isHeld", "hold" -> true;
					case "finish",
							"finishAtCommit" ->
						arguments != null && arguments.length == 2
								? finishAnyway((Lease) arguments[0], (FinishedRecord) arguments[1])
								: real(method, arguments);
					default -> real(method, arguments);
				};
				case HEARTBEATS_STOPPED -> name.equals("extend") ? null : real(method, arguments);
				case CLAIM_SKIPPED -> name.equals("lease") && arguments != null
						? leaseOrImagine((LeaseRequest) arguments[0]) : real(method, arguments);
				case ABANDON_BLIND -> real(method, arguments);
			};
		}

		private @Nullable Object real(Method method, Object @Nullable [] arguments) throws Throwable {
			return Plants.invoke(this.store, method, arguments);
		}

		private static boolean rarely() {
			return ThreadLocalRandom.current().nextInt(RARELY) == 0;
		}

		/**
		 * Whoever has the lease now, the answer is sent.
		 */
		private boolean finishAnyway(Lease lease, FinishedRecord finished) {
			this.store.finish(lease, finished);
			return true;
		}

		private boolean rollBack() throws SQLException {
			DataSourceUtils.getConnection(this.dataSource.getObject()).rollback();
			return true;
		}

		private ClaimResult leaseOrImagine(LeaseRequest request) {
			try {
				return this.store.lease(request);
			}
			catch (RuntimeException ex) {
				Lease lease = new Lease(request.identity(), FinishedRecord.newToken());
				this.imagined.add(lease);
				return new ClaimResult.Leased(lease, new Progress(1, null, null));
			}
		}

		private static @Nullable Object imagined(Method method) {
			if (method.getReturnType() == boolean.class) {
				return true;
			}
			return (method.getReturnType() == Optional.class) ? Optional.of(new Progress(1, null, null)) : null;
		}

	}

	/**
	 * In front of everything: a response that can be sent while the application still
	 * works on it.
	 */
	@Bean
	static FilterRegistrationBean<Filter> earlyAnswers(Environment environment) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
			ANSWER.remove();
			EarlyAnswer early = new EarlyAnswer((HttpServletResponse) response);
			EarlyAnswer.CURRENT.set(early);
			try {
				chain.doFilter(request, early);
			}
			finally {
				EarlyAnswer.CURRENT.remove();
			}
		});
		registration.setEnabled(Plant.ANSWER_BEFORE_COMMIT.name().equals(environment.getProperty(Plant.PROPERTY)));
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
		return registration;
	}

	private static final class EarlyAnswer extends HttpServletResponseWrapper {

		static final ThreadLocal<EarlyAnswer> CURRENT = new ThreadLocal<>();

		private static final int COMMIT_TIME = 50;

		private final HttpServletResponse wire;

		EarlyAnswer(HttpServletResponse wire) {
			super(wire);
			this.wire = wire;
		}

		static void send() throws IOException {
			EarlyAnswer current = CURRENT.get();
			StoredResponse answer = ANSWER.get();
			if (current != null && answer != null) {
				byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
				current.wire.setStatus(answer.status());
				current.wire.setContentType("application/json");
				current.wire.setContentLength(body.length);
				current.wire.getOutputStream().write(body);
				current.wire.flushBuffer();
				// What the application sends from now on reaches nobody.
				current.setResponse(new MockHttpServletResponse());
				// As with a standby that is far away
				NodeApplication.Payments.work(COMMIT_TIME);
			}
		}

	}

}
