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
package dev.idempotency.store.jdbc.connection;

import java.lang.reflect.Proxy;
import java.sql.Connection;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;

/**
 * Connections whose statements reach tables with other names than the default ones: they
 * are translated in one place, when they are prepared.
 *
 * @param connections the connections
 * @param names the names of the tables
 */
record NamedConnections(StoreConnections connections, TableNames names) implements StoreConnections {

	@Override
	public SupportedDatabase database() {
		return this.connections.database();
	}

	@Override
	public <T extends @Nullable Object> T inTransaction(ConnectionWork<T> work) {
		return this.connections.inTransaction((connection) -> work.execute(translating(connection)));
	}

	@Override
	public <T extends @Nullable Object> T separately(ConnectionWork<T> work) {
		return this.connections.separately((connection) -> work.execute(translating(connection)));
	}

	@Override
	public void enterRequest() {
		this.connections.enterRequest();
	}

	@Override
	public void enterPhase() {
		this.connections.enterPhase();
	}

	@Override
	public boolean sendLast(LastStatement last) {
		return this.connections.sendLast((connection, place) -> last.send(translating(connection), place));
	}

	@Override
	public boolean sendLastInCommit(LastStatement last) {
		return this.connections.sendLastInCommit((connection, place) -> last.send(translating(connection), place));
	}

	@Override
	public @Nullable DataSource dataSource() {
		return this.connections.dataSource();
	}

	@Override
	public Connection translating(Connection connection) {
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("prepareStatement")) {
						arguments[0] = this.names.in((String) arguments[0]);
					}
					return AopUtils.invokeJoinpointUsingReflection(connection, method, arguments);
				});
	}

}
