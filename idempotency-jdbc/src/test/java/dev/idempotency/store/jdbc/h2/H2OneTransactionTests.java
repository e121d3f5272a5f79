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
package dev.idempotency.store.jdbc.h2;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.jdbc.connection.OneTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of {@link OneTransaction} on H2.
 */
@Tag("X11")
class H2OneTransactionTests {

	private final OneTransaction transactions = new OneTransaction(H2Records::begin);

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

	private int insertThenFail(int failures, String sqlState) throws SQLException {
		return this.transactions.run(this.connection, (open) -> {
			int inserted = open.createStatement().executeUpdate("insert into entry values (1)");
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
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> insertThenFail(Integer.MAX_VALUE, "40001"));
		assertThat(this.attempts).hasValue(10);
		assertThat(count()).isZero();
	}

	@Test
	void anotherFailureIsThrownAtOnce() {
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> insertThenFail(1, "08006"));
		assertThat(this.attempts).hasValue(1);
	}

	@Test
	void anErrorLeavesNothing() throws SQLException {
		assertThatExceptionOfType(StackOverflowError.class)
			.isThrownBy(() -> this.transactions.run(this.connection, (open) -> {
				open.createStatement().executeUpdate("insert into entry values (1)");
				throw new StackOverflowError();
			}));
		assertThat(count()).isZero();
	}

}
