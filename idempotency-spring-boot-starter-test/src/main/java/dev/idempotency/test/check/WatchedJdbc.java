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
package dev.idempotency.test.check;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.jdbc.datasource.ConnectionProxy;

/**
 * A connection, or a statement of it, that detects writes and is otherwise unchanged. A
 * statement writes if its method says so, or if its result is not a set of rows.
 *
 * @param target the connection or statement
 * @param connection the watched connection of a statement, {@code null} for a connection
 * @param onWrite called before a write that is known in advance, otherwise after it
 */
record WatchedJdbc(Object target, @Nullable Object connection, Runnable onWrite) implements InvocationHandler {

	static Connection connection(Connection target, Runnable onWrite) {
		return (Connection) proxy(ConnectionProxy.class, new WatchedJdbc(target, null, onWrite));
	}

	private static Object proxy(Class<?> type, WatchedJdbc watched) {
		return Proxy.newProxyInstance(WatchedJdbc.class.getClassLoader(), new Class<?>[] { type }, watched);
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
			throws Throwable {
		Object first = (arguments != null && arguments.length > 0) ? arguments[0] : null;
		switch (method.getName()) {
			case "equals":
				return proxy == first;
			case "hashCode":
				return System.identityHashCode(proxy);
			case "getTargetConnection":
				return this.target;
			case "getConnection":
				return this.connection;
			case "isWrapperFor":
				return unwrapped(proxy, first) != null || Boolean.TRUE.equals(proceed(method, arguments));
			case "unwrap":
				Object unwrapped = unwrapped(proxy, first);
				return (unwrapped != null) ? unwrapped : proceed(method, arguments);
			case "executeUpdate", "executeLargeUpdate", "executeBatch", "executeLargeBatch":
				this.onWrite.run();
				return proceed(method, arguments);
			case "execute":
				Object rows = proceed(method, arguments);
				if (Boolean.FALSE.equals(rows)) {
					this.onWrite.run();
				}
				return rows;
			default:
				Object result = proceed(method, arguments);
				return (this.connection == null && result instanceof Statement)
						? proxy(method.getReturnType(), new WatchedJdbc(result, proxy, this.onWrite)) : result;
		}
	}

	private @Nullable Object unwrapped(Object proxy, @Nullable Object type) {
		if (!(type instanceof Class<?> wanted)) {
			return null;
		}
		return wanted.isInstance(proxy) ? proxy : wanted.isInstance(this.target) ? this.target : null;
	}

	private @Nullable Object proceed(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(this.target, method,
				(arguments != null) ? arguments : new Object[0]);
	}

}
