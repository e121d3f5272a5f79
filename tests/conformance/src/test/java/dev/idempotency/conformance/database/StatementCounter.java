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

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Counts what an application asks of its database.
 */
final class StatementCounter implements BeanPostProcessor {

	private final AtomicInteger statements = new AtomicInteger();

	private final AtomicInteger commits = new AtomicInteger();

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof DataSource dataSource) ? new Counting(dataSource) : bean;
	}

	Cost measure(Runnable action) {
		this.statements.set(0);
		this.commits.set(0);
		action.run();
		return new Cost(this.statements.get(), this.commits.get());
	}

	private Connection counting(Connection connection) {
		return (Connection) proxy(Connection.class, connection, (method, result) -> {
			if (method.getName().equals("commit")) {
				this.commits.incrementAndGet();
			}
			return (result instanceof PreparedStatement statement) ? counting(statement) : result;
		});
	}

	private PreparedStatement counting(PreparedStatement statement) {
		return (PreparedStatement) proxy(PreparedStatement.class, statement, (method, result) -> {
			if (method.getName().startsWith("execute")) {
				this.statements.incrementAndGet();
			}
			return result;
		});
	}

	private static Object proxy(Class<?> type, Object target, After after) {
		InvocationHandler handler = (proxy, method, arguments) -> {
			try {
				return after.call(method, method.invoke(target, arguments));
			}
			catch (InvocationTargetException ex) {
				after.call(method, null);
				throw ex.getCause();
			}
		};
		return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler);
	}

	/**
	 * The cost of an action.
	 *
	 * @param statements the statements, those that failed included
	 * @param commits the commits
	 */
	record Cost(int statements, int commits) {

		Cost minus(Cost other) {
			return new Cost(this.statements - other.statements, this.commits - other.commits);
		}

	}

	@FunctionalInterface
	private interface After {

		@Nullable Object call(Method method, @Nullable Object result);

	}

	private final class Counting extends DelegatingDataSource {

		private Counting(DataSource target) {
			super(target);
		}

		@Override
		public Connection getConnection() throws SQLException {
			return counting(super.getConnection());
		}

	}

}
