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
package dev.idempotency.engine;

import java.sql.SQLException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.TransactionSystemException;

import static org.assertj.core.api.Assertions.assertThat;

class CommitFailureTests {

	private static Exception failure(String sqlState) {
		return new TransactionSystemException("commit", new RuntimeException(new SQLException("no", sqlState)));
	}

	@Tag("X11")
	@ParameterizedTest
	@ValueSource(strings = { "23505", "23503", "25P02", "40001", "40P01" })
	void theDatabaseSaidNo(String sqlState) {
		assertThat(CommitFailure.isRefused(failure(sqlState))).isTrue();
		assertThat(CommitFailure.isConnectionFailure(failure(sqlState))).isFalse();
	}

	@Tag("X12")
	@ParameterizedTest
	@ValueSource(strings = { "08006", "08003", "57P01", "53300" })
	void theDatabaseSaidNothing(String sqlState) {
		assertThat(CommitFailure.isRefused(failure(sqlState))).isFalse();
		assertThat(CommitFailure.isConnectionFailure(failure(sqlState))).isTrue();
	}

	@Test
	@Tag("X12")
	void theDatabaseDoesNotKnowItself() {
		assertThat(CommitFailure.isRefused(failure("40003"))).isFalse();
		assertThat(CommitFailure.isConflict(failure("40003"))).isFalse();
	}

	@Test
	@Tag("X12")
	void whatHasNoSqlStateIsNotTakenForANo() {
		for (Exception failure : new Exception[] { new IllegalStateException(), failure("4"), failure("42P01"),
				failure("25006") }) {
			assertThat(CommitFailure.isRefused(failure)).isFalse();
			assertThat(CommitFailure.isConnectionFailure(failure)).isFalse();
		}
	}

	@Test
	@Tag("X12")
	void aFailureOfThePoolIsNoAnswerOfTheDatabase() {
		assertThat(CommitFailure.isRefused(failure(null))).isFalse();
		assertThat(CommitFailure.isConnectionFailure(failure(null))).isTrue();
	}

}
