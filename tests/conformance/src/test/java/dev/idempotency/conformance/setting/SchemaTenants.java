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

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Tenants with a schema each.
 */
final class SchemaTenants extends DelegatingDataSource implements MultiTenantConnectionProvider<String> {

	SchemaTenants(DataSource dataSource) {
		super(dataSource);
	}

	@Override
	public Connection getAnyConnection() throws SQLException {
		return getConnection();
	}

	@Override
	public void releaseAnyConnection(Connection connection) throws SQLException {
		connection.close();
	}

	@Override
	public Connection getConnection(String tenant) throws SQLException {
		Connection connection = getConnection();
		connection.setSchema(tenant);
		return connection;
	}

	@Override
	public void releaseConnection(String tenant, Connection connection) throws SQLException {
		connection.setSchema("public");
		connection.close();
	}

	@Override
	public boolean supportsAggressiveRelease() {
		return true;
	}

	@Override
	public boolean isUnwrappableAs(Class<?> type) {
		return false;
	}

	@Override
	public <T> T unwrap(Class<T> type) {
		throw new IllegalArgumentException("Not a " + type);
	}

}
