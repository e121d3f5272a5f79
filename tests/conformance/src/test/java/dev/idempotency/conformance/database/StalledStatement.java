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
package dev.idempotency.conformance.database;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.awaitility.Awaitility.await;

/**
 * A thread that stalls between two statements, as under a debugger or in a pause of its
 * node: the next one that executes a statement after {@link #begin()}.
 */
final class StalledStatement implements BeanPostProcessor {

	private final AtomicReference<Stalled> current = new AtomicReference<>();

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof DataSource dataSource) ? new Stalling(dataSource) : bean;
	}

	/**
	 * Stalls the next thread that executes a statement.
	 */
	void begin() {
		this.current.set(new Stalled());
	}

	/**
	 * Lets the thread go on until it stands still after a statement.
	 * @param number the number of the statement, from 1
	 * @param request the request that it executes
	 * @return {@code false} if the request ended earlier
	 */
	boolean awaitStalled(int number, CompletableFuture<?> request) {
		Stalled stalled = this.current.get();
		stalled.limit.set(number);
		stalled.steps.release();
		await().until(() -> stalled.executed.get() == number || request.isDone());
		return !request.isDone();
	}

	/**
	 * Lets the thread go on, and no other stall.
	 */
	void end() {
		Stalled ended = this.current.getAndSet(null);
		ended.limit.set(Integer.MAX_VALUE);
		ended.steps.release();
	}

	private void afterStatement() {
		Stalled stalled = this.current.get();
		if (stalled != null && stalled.isIt(Thread.currentThread())
				&& stalled.executed.incrementAndGet() >= stalled.limit.get()) {
			stalled.stop();
		}
	}

	private Object watched(Class<?> type, Object target) {
		return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
			try {
				Object result = method.invoke(target, arguments);
				return (result instanceof PreparedStatement statement) ? watched(PreparedStatement.class, statement)
						: result;
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
			finally {
				if (method.getName().startsWith("execute")) {
					afterStatement();
				}
			}
		});
	}

	/**
	 * A thread, which stands still after some number of statements.
	 */
	private static final class Stalled {

		private final AtomicReference<Thread> thread = new AtomicReference<>();

		private final AtomicInteger executed = new AtomicInteger();

		private final AtomicInteger limit = new AtomicInteger(1);

		private final Semaphore steps = new Semaphore(0);

		boolean isIt(Thread candidate) {
			return this.thread.compareAndSet(null, candidate) || this.thread.get() == candidate;
		}

		void stop() {
			do {
				this.steps.acquireUninterruptibly();
			}
			while (this.executed.get() >= this.limit.get());
		}

	}

	private final class Stalling extends DelegatingDataSource {

		private Stalling(DataSource target) {
			super(target);
		}

		@Override
		public Connection getConnection() throws SQLException {
			return (Connection) watched(Connection.class, super.getConnection());
		}

	}

}
