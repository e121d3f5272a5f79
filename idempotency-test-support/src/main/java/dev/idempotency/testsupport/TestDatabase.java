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

package dev.idempotency.testsupport;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;

/**
 * An empty database on a real PostgreSQL.
 * <p>
 * {@link #create()} makes one on a server that is shared by the whole JVM, started by the
 * first call and stopped at the end of the JVM. It runs in a container when there is a
 * Docker engine, else from binaries on the class path. System properties decide
 * otherwise:
 * <ul>
 * <li>{@code idempotency.test.database}: {@code embedded} or {@code testcontainers}</li>
 * <li>{@code idempotency.test.database.settings}: more settings of the server, for
 * instance {@code max_connections=300;work_mem=8MB}</li>
 * </ul>
 * Both kinds are as durable as PostgreSQL is by default (fsync, synchronous commit), load
 * {@code pg_stat_statements} and accept 200 connections.
 *
 * @param jdbcUrl the JDBC address of the database
 * @param username the name of a superuser
 * @param password the password of the superuser
 */
public record TestDatabase(String jdbcUrl, String username, String password) {

	/**
	 * Create a database with a name of its own on the shared server.
	 * @return the new database
	 */
	public static TestDatabase create() {
		return create(SharedServer.INSTANCE);
	}

	/**
	 * Start a server of its own, for tests that stop it or pull its plug.
	 * @param settings settings of the server that differ from those of the shared one
	 * @return the running server, to be closed by the caller
	 */
	public static DedicatedServer startDedicatedServer(Map<String, String> settings) {
		return new DedicatedServer(EmbeddedServer.start(ServerSettings.with(settings)));
	}

	static TestDatabase create(PostgresServer server) {
		String name = "test_" + UUID.randomUUID().toString().replace("-", "");
		server.database("postgres").execute("CREATE DATABASE " + name);
		return server.database(name);
	}

	/**
	 * Connect to the database.
	 * @return a new connection, to be closed by the caller
	 * @throws SQLException if the server does not accept it
	 */
	public Connection connect() throws SQLException {
		return DriverManager.getConnection(this.jdbcUrl, this.username, this.password);
	}

	/**
	 * Execute SQL on a connection of its own, in auto-commit mode.
	 * @param sql one or more statements
	 */
	public void execute(String sql) {
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException("Could not execute: " + sql, ex);
		}
	}

	/**
	 * Starts when it is first touched.
	 */
	private static final class SharedServer {

		static final PostgresServer INSTANCE = PostgresServer.start(ServerSettings.fromSystemProperty());

	}

}
