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

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;

/**
 * An empty database on a real PostgreSQL, or on another of {@link DatabaseKind}.
 * <p>
 * {@link #create()} makes one on a server that is shared by the whole JVM, started by the
 * first call and stopped at the end of the JVM. PostgreSQL runs in a container when there
 * is a Docker engine, else from binaries on the class path. The system property
 * {@code idempotency.test.database} decides otherwise: {@code embedded} or
 * {@code testcontainers} for PostgreSQL, {@code pgbouncer} for PostgreSQL behind a
 * PgBouncer in transaction mode, or {@code h2} or {@code h2-postgresql}.
 * <p>
 * Both kinds of PostgreSQL are as durable as PostgreSQL is by default (fsync, synchronous
 * commit), load {@code pg_stat_statements} and accept 200 connections.
 *
 * @param jdbcUrl the JDBC address of the database
 * @param username the name of a superuser
 * @param password the password of the superuser
 */
public record TestDatabase(String jdbcUrl, String username, String password) {

	/**
	 * Creates a database with a unique name on the shared server.
	 * @return the new database
	 */
	public static TestDatabase create() {
		return create(DatabaseKind.chosen());
	}

	/**
	 * Creates a database of one kind, regardless of the system property.
	 * @param kind the kind
	 * @return the new database
	 */
	public static TestDatabase create(DatabaseKind kind) {
		return switch (kind) {
			case POSTGRESQL -> create(SharedServer.INSTANCE);
			case H2 -> h2("");
			case H2_POSTGRESQL -> h2(";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH");
		};
	}

	private static TestDatabase h2(String mode) {
		return new TestDatabase("jdbc:h2:mem:" + newName() + ";DB_CLOSE_DELAY=-1" + mode, "sa", "");
	}

	private static String newName() {
		return "test_" + UUID.randomUUID().toString().replace("-", "");
	}

	/**
	 * Starts a separate server, for tests that stop it or cut its connections.
	 * @param settings settings of the server that differ from those of the shared one
	 * @return the running server, to be closed by the caller
	 */
	public static DedicatedServer startDedicatedServer(Map<String, String> settings) {
		return DedicatedServer.start(settings);
	}

	static TestDatabase create(PostgresServer server) {
		String name = newName();
		server.database("postgres").execute("CREATE DATABASE " + name);
		return server.database(name);
	}

	/**
	 * Creates a database with what is in this one, on the same server. No connection to
	 * this one may be open meanwhile, not even a pooler's: only a direct connection to
	 * PostgreSQL.
	 * @return the new database
	 */
	public TestDatabase copy() {
		int end = this.jdbcUrl.lastIndexOf('/') + 1;
		String server = this.jdbcUrl.substring(0, end);
		String name = newName();
		new TestDatabase(server + "postgres", this.username, this.password)
			.execute("CREATE DATABASE " + name + " TEMPLATE " + this.jdbcUrl.substring(end));
		return new TestDatabase(server + name, this.username, this.password);
	}

	/**
	 * The address of a PostgreSQL, for its host, port and path.
	 */
	URI address() {
		return URI.create(this.jdbcUrl.substring("jdbc:".length()));
	}

	/**
	 * Returns the kind of the database.
	 * @return the kind, from the address
	 */
	public DatabaseKind kind() {
		if (this.jdbcUrl.startsWith("jdbc:h2:")) {
			return this.jdbcUrl.contains("MODE=") ? DatabaseKind.H2_POSTGRESQL : DatabaseKind.H2;
		}
		return DatabaseKind.POSTGRESQL;
	}

	/**
	 * Connects to the database.
	 * @return a new connection, to be closed by the caller
	 * @throws SQLException if the server does not accept it
	 */
	public Connection connect() throws SQLException {
		return DriverManager.getConnection(this.jdbcUrl, this.username, this.password);
	}

	/**
	 * Executes SQL on a separate connection, in auto-commit mode.
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

		static final PostgresServer INSTANCE = PostgresServer.start();

	}

}
