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
package dev.idempotency.conformance.setting;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * A data source behind proxies, down to its statements, as tools that log or measure them
 * make it.
 *
 * @param wrapping wraps the data source
 */
record WrappedDataSource(UnaryOperator<DataSource> wrapping) implements BeanPostProcessor {

	/**
	 * From the most to the least specific.
	 */
	private static final List<Class<?>> TYPES = List.of(CallableStatement.class, PreparedStatement.class,
			Statement.class, Connection.class, DataSource.class);

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof DataSource dataSource) ? this.wrapping.apply(dataSource) : bean;
	}

	/**
	 * Wraps a data source in JDK proxies.
	 * @param unwraps whether the proxies unwrap
	 */
	static UnaryOperator<DataSource> proxies(boolean unwraps) {
		return (dataSource) -> (DataSource) wrap(dataSource, unwraps);
	}

	private static Object wrap(Object target, boolean unwraps) {
		Class<?> type = TYPES.stream().filter((candidate) -> candidate.isInstance(target)).findFirst().orElse(null);
		if (type == null) {
			return target;
		}
		return Proxy.newProxyInstance(WrappedDataSource.class.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> {
					if (!unwraps && method.getName().equals("isWrapperFor")) {
						return false;
					}
					if (!unwraps && method.getName().equals("unwrap")) {
						throw new SQLException("Not a wrapper");
					}
					try {
						Object result = method.invoke(target, arguments);
						return (result != null && !method.getName().equals("unwrap")) ? wrap(result, unwraps) : result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
