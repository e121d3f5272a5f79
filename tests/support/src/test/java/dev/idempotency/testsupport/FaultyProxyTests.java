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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import dev.idempotency.testsupport.FaultyProxy.CommitFault;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FaultyProxyTests {

	private static TestDatabase database;

	private static FaultyProxy proxy;

	@BeforeAll
	static void start() {
		database = TestDatabase.create();
		proxy = FaultyProxy.before(database);
	}

	@AfterAll
	static void stop() {
		proxy.close();
	}

	@BeforeEach
	void createTable() {
		database.execute("create table note (id int)");
	}

	@AfterEach
	void dropTable() {
		database.execute("drop table note");
	}

	@Test
	void forwards() throws SQLException {
		try (Connection connection = proxy.database().connect()) {
			insertAndCommit(connection);
		}
		assertThat(notes()).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "REQUEST_LOST,0", "REPLY_LOST,1" })
	void failsAtOneCommit(CommitFault fault, int committed) throws SQLException {
		try (Connection connection = proxy.database().connect()) {
			proxy.failNextCommit(fault);
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> insertAndCommit(connection))
				.satisfies((ex) -> assertThat(ex.getSQLState()).startsWith("08"));
		}
		assertThat(notes()).isEqualTo(committed);
		try (Connection connection = proxy.database().connect()) {
			insertAndCommit(connection);
		}
		assertThat(notes()).isEqualTo(committed + 1);
	}

	@Test
	void recognisesACommitThatTheDriverHasPrepared() throws SQLException {
		try (Connection connection = proxy.database().connect()) {
			for (int i = 0; i < 10; i++) {
				insertAndCommit(connection);
			}
			proxy.failNextCommit(CommitFault.REQUEST_LOST);
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> insertAndCommit(connection));
		}
		assertThat(notes()).isEqualTo(10);
	}

	@Test
	void deliversAStatementWhoseClientHasGivenUp() throws SQLException {
		DelayedStatement commit = proxy.delayNext("COMMIT");
		assertThat(commit.isSent()).isFalse();
		try (Connection connection = proxy.database().connect()) {
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> insertAndCommit(connection))
				.satisfies((ex) -> assertThat(ex.getSQLState()).startsWith("08"));
		}
		assertThat(commit.isSent()).isTrue();
		assertThat(notes()).isZero();
		commit.deliver();
		assertThat(notes()).isEqualTo(1);
	}

	@Test
	void goesDownAndComesUpOnTheSamePort() throws SQLException {
		TestDatabase through = proxy.database();
		try (Connection connection = through.connect()) {
			proxy.goDown();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> insertAndCommit(connection));
			assertThatExceptionOfType(SQLException.class).isThrownBy(through::connect);
		}
		finally {
			proxy.goUp();
		}
		try (Connection connection = through.connect()) {
			insertAndCommit(connection);
		}
		assertThat(notes()).isEqualTo(1);
	}

	@Test
	void stallsWithoutBreaking() throws Exception {
		try (Connection connection = proxy.database().connect()) {
			proxy.stall();
			Thread client = new Thread(() -> {
				try {
					insertAndCommit(connection);
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			});
			client.start();
			assertThat(notes()).isZero();
			proxy.resume();
			client.join();
		}
		assertThat(notes()).isEqualTo(1);
	}

	private static void insertAndCommit(Connection connection) throws SQLException {
		connection.setAutoCommit(false);
		try (Statement statement = connection.createStatement()) {
			statement.execute("insert into note values (1)");
		}
		connection.commit();
	}

	private static int notes() throws SQLException {
		try (Connection connection = database.connect();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("select count(*) from note")) {
			rows.next();
			return rows.getInt(1);
		}
	}

}
