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
package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Transactions of {@link Jdbc} on H2.
 */
@Tag("X11")
class JdbcTests {

	private final AtomicInteger attempts = new AtomicInteger();

	private Connection connection;

	@BeforeEach
	void connect() throws SQLException {
		this.connection = DriverManager.getConnection("jdbc:h2:mem:");
		this.connection.createStatement().execute("create table entry (id int)");
	}

	@AfterEach
	void disconnect() throws SQLException {
		this.connection.close();
	}

	private Jdbc jdbc() {
		SingleConnectionDataSource session = new SingleConnectionDataSource(this.connection, true);
		return H2Store.jdbc(new DataSourceConnections(session, new DataSourceTransactionManager(session)),
				Duration.ofSeconds(10));
	}

	private int insertThenFail(int failures, String sqlState) {
		return jdbc().separately((session) -> {
			int inserted = session.update("insert into entry values (1)");
			if (this.attempts.incrementAndGet() <= failures) {
				throw new SQLTransactionRollbackException("refused", sqlState);
			}
			return inserted;
		});
	}

	private int count() throws SQLException {
		try (var rows = this.connection.createStatement().executeQuery("select count(*) from entry")) {
			rows.next();
			return rows.getInt(1);
		}
	}

	@Test
	void aDeadlockIsRepeatedAndLeavesOneRow() throws SQLException {
		assertThat(insertThenFail(3, "40001")).isOne();
		assertThat(this.attempts).hasValue(4);
		assertThat(count()).isOne();
	}

	@Test
	void aDeadlockThatStaysIsThrownAndLeavesNothing() throws SQLException {
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> insertThenFail(Integer.MAX_VALUE, "40001"));
		assertThat(this.attempts).hasValue(10);
		assertThat(count()).isZero();
	}

	@Test
	void anotherFailureIsThrownAtOnce() {
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> insertThenFail(1, "08006"));
		assertThat(this.attempts).hasValue(1);
	}

	@Test
	void anErrorLeavesNothing() throws SQLException {
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> jdbc().separately((session) -> {
			session.update("insert into entry values (1)");
			throw new StackOverflowError();
		}));
		assertThat(count()).isZero();
	}

}
