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
package dev.idempotency.logging;

import java.sql.BatchUpdateException;
import java.sql.SQLException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The logged part of an exception.
 */
@Tag("Y5")
class LoggedFailureTests {

	@Test
	void keepsTypesCausesAndStackTraces() {
		Exception cause = new IllegalArgumentException("secret");
		Exception failure = new IllegalStateException("secret", cause);
		LoggedFailure logged = LoggedFailure.of(failure);
		assertThat(logged).hasMessage("java.lang.IllegalStateException").hasNoSuppressedExceptions();
		assertThat(logged.getStackTrace()).isEqualTo(failure.getStackTrace());
		assertThat(logged.getCause()).hasMessage("java.lang.IllegalArgumentException");
		assertThat(logged.getCause().getStackTrace()).isEqualTo(cause.getStackTrace());
	}

	@Test
	void endsWhereCausesGoInACircle() {
		Exception first = new Exception("first");
		first.initCause(new Exception("second", first));
		assertThat(LoggedFailure.of(first)).hasRootCauseMessage("java.lang.Exception");
	}

	@ParameterizedTest
	@CsvSource({ "08001,Connection to 127.0.0.1:5432 refused", "42P01,ERROR: relation does not exist",
			"57014,ERROR: canceling statement due to statement timeout" })
	void keepsWhatTheDatabaseSaysOfItself(String state, String message) {
		LoggedFailure logged = LoggedFailure.of(new IllegalStateException(new SQLException(message, state)));
		assertThat(logged.getCause()).hasMessage("java.sql.SQLException [" + state + "]: " + message);
	}

	@Test
	void keepsWhatAPoolSaysWithoutAState() {
		assertThat(LoggedFailure.of(new SQLException("request timed out")))
			.hasMessage("java.sql.SQLException: request timed out");
	}

	@ParameterizedTest
	@ValueSource(strings = { "22P02", "23505", "44000", "P0001" })
	void leavesOutWhatTheDatabaseSaysOfValues(String state) {
		assertThat(LoggedFailure.of(new SQLException("Key (email)=(alice@example.com) exists", state)))
			.hasMessage("java.sql.SQLException [" + state + "]");
	}

	@Test
	void leavesOutDetailsAndBatches() {
		assertThat(LoggedFailure.of(new SQLException("ERROR: could not serialize access\n  Detail: secret", "40001")))
			.hasMessage("java.sql.SQLException [40001]: ERROR: could not serialize access");
		assertThat(LoggedFailure.of(new BatchUpdateException("Batch entry 0 insert … ('secret')", "08006", null)))
			.hasMessage("java.sql.BatchUpdateException [08006]");
	}

}
