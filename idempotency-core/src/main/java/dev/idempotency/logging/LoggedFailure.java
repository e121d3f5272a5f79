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
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The part of an exception that may be logged: types, stack traces, and messages of the
 * database that cannot quote a value. Messages of the application may quote anything.
 */
final class LoggedFailure extends Exception {

	private static final int DEPTH = 10;

	/**
	 * Classes of SQLSTATE whose messages quote values or come from the application: data
	 * exceptions, integrity constraints, check options, errors raised by a procedure.
	 */
	private static final Set<String> QUOTING = Set.of("22", "23", "44", "P0");

	private LoggedFailure(Throwable failure, @Nullable LoggedFailure cause) {
		super(describe(failure), cause);
		setStackTrace(failure.getStackTrace());
	}

	static LoggedFailure of(Throwable failure) {
		return of(failure, DEPTH);
	}

	private static LoggedFailure of(Throwable failure, int depth) {
		Throwable cause = failure.getCause();
		return new LoggedFailure(failure, (cause != null && depth > 1) ? of(cause, depth - 1) : null);
	}

	private static String describe(Throwable failure) {
		String name = failure.getClass().getName();
		if (!(failure instanceof SQLException sql)) {
			return name;
		}
		String state = sql.getSQLState();
		String message = mayQuote(sql, state) ? null : firstLine(sql.getMessage());
		return name + ((state != null) ? " [" + state + "]" : "") + ((message != null) ? ": " + message : "");
	}

	/**
	 * Returns whether the message may quote a value. A failed batch quotes its statement
	 * with all values.
	 */
	private static boolean mayQuote(SQLException failure, @Nullable String state) {
		return failure instanceof BatchUpdateException
				|| (state != null && state.length() == 5 && QUOTING.contains(state.substring(0, 2)));
	}

	/**
	 * Returns the first line: PostgreSQL quotes rows on further lines.
	 */
	private static @Nullable String firstLine(@Nullable String message) {
		return (message != null) ? message.lines().findFirst().orElse(null) : null;
	}

}
