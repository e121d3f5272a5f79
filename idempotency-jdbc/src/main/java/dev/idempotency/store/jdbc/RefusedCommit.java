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

import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

import org.springframework.util.ClassUtils;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.RecordConflictException;

/**
 * The errors by which the last statement of a message keeps the server from its COMMIT.
 */
final class RefusedCommit {

	/**
	 * The SQL state by which a message that ends with a COMMIT reports a live record, if
	 * it only inserts.
	 */
	private static final String UNIQUE_VIOLATION = "23505";

	/**
	 * The SQL state by which it reports a live record, if it replaces an expired one, and
	 * a transaction that is not the claim's.
	 */
	private static final String NOT_NULL_VIOLATION = "23502";

	/**
	 * The SQL state by which a message that ends with a COMMIT reports a lost lease.
	 */
	private static final String INVALID_TEXT = "22P02";

	/**
	 * A text that a server cannot take for a number, quoted in the message of its error.
	 */
	static final String LOST = "lease lost, rows: ";

	private static final boolean PGJDBC = ClassUtils.isPresent("org.postgresql.util.PSQLException",
			RefusedCommit.class.getClassLoader());

	private RefusedCommit() {
	}

	/**
	 * Translates an error.
	 * @return the error itself, if it is another one
	 * @throws RecordConflictException if there is a live record
	 * @throws LeaseLostException if the lease is lost
	 */
	static SQLException translate(SQLException failure) {
		String state = failure.getSQLState();
		if ((UNIQUE_VIOLATION.equals(state) && (!PGJDBC || ServerError.isOfRecord(failure, null)))
				|| (NOT_NULL_VIOLATION.equals(state) && (!PGJDBC || ServerError.isOfRecord(failure, "expires_at")))) {
			throw new RecordConflictException(failure);
		}
		if (INVALID_TEXT.equals(state) && String.valueOf(failure.getMessage()).contains(LOST)) {
			throw new LeaseLostException(failure);
		}
		return failure;
	}

	/**
	 * Translates an error of a record that needs the transaction of its claim.
	 * @return the error itself, if it is another one
	 * @throws RecordConflictException if there is a live record
	 * @throws InvalidIdempotentException if the transaction is another one
	 */
	static SQLException translate(SQLException failure, FinishedRecord finished) {
		SQLException other = translate(failure);
		if (NOT_NULL_VIOLATION.equals(other.getSQLState()) && ServerError.isOfRecord(other, "operation")) {
			throw endedByHandler(other, finished.operation());
		}
		return other;
	}

	private static InvalidIdempotentException endedByHandler(SQLException failure, String operation) {
		InvalidIdempotentException refused = new InvalidIdempotentException(operation
				+ " has ended its transaction itself. What it had written is committed or rolled back without its "
				+ "answer, and a retry executes it again.",
				"Leave the end of the transaction to Spring: remove Connection.commit(), rollback() and "
						+ "setAutoCommit(true), and the SQL commands COMMIT and ROLLBACK, from what the handler calls. "
						+ "To undo its work, throw an exception or mark the transaction rollback-only.");
		refused.initCause(failure);
		return refused;
	}

	/**
	 * The fields of an error, which are the same in each language of the server. Not
	 * loaded with another driver, where the SQL state has to suffice.
	 */
	private static final class ServerError {

		/**
		 * The names of the table and of its partitions.
		 */
		private static final Pattern TABLE = Pattern.compile("idempotency_record(_p[0-9]+)?");

		/**
		 * Returns whether the violation concerns the record's row, rather than one of a
		 * trigger that the COMMIT has fired.
		 * @param column the column without a value, {@code null} if the whole row is one
		 * too many
		 */
		static boolean isOfRecord(SQLException failure, @Nullable String column) {
			ServerErrorMessage error = (failure instanceof PSQLException ex) ? ex.getServerErrorMessage() : null;
			return error == null || (TABLE.matcher(String.valueOf(error.getTable())).matches()
					&& Objects.equals(column, error.getColumn()));
		}

	}

}
