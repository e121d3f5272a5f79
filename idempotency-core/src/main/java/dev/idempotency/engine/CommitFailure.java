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
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionSystemException;

import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.RecordConflictException;

/**
 * Determines from an exception whether the database refused a commit or did not answer.
 */
public final class CommitFailure {

	/**
	 * Integrity constraint violation and transaction rollback: the database refuses a
	 * commit with these.
	 */
	private static final Set<String> REFUSALS = Set.of("23", "40");

	/**
	 * Statement completion unknown: although of class 40, it does not mean that the
	 * transaction is gone.
	 */
	private static final String COMPLETION_UNKNOWN = "40003";

	/**
	 * Connection exception, insufficient resources, operator intervention.
	 */
	private static final Set<String> CONNECTION_CLASSES = Set.of("08", "53", "57");

	/**
	 * Serialization failure and deadlock: the transaction was valid and can be repeated.
	 */
	private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

	private static final String ACTIVE_TRANSACTION = "25001";

	private static final String FAILED_TRANSACTION = "25P02";

	private CommitFailure() {
	}

	/**
	 * Returns whether another transaction has stored a response first or has taken the
	 * lease.
	 */
	public static boolean isLate(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.anyMatch((cause) -> cause instanceof RecordConflictException || cause instanceof LeaseLostException);
	}

	/**
	 * Returns whether the database has refused the commit, and not failed to answer it.
	 */
	public static boolean isRefused(Throwable failure) {
		return isAborted(failure) || (isOfClass(failure, REFUSALS) && !COMPLETION_UNKNOWN.equals(sqlState(failure)));
	}

	public static boolean isConnectionFailure(Throwable failure) {
		return isOfClass(failure, CONNECTION_CLASSES) || isOfPool(failure);
	}

	/**
	 * Recognises a failure of the pool by its missing SQL state, which each error of a
	 * database has. A manager of JDBC transactions throws it if the commit has lost its
	 * connection and the rollback fails as well.
	 */
	private static boolean isOfPool(Throwable failure) {
		return failure instanceof TransactionSystemException && sqlState(failure) == null
				&& Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
					.anyMatch(SQLException.class::isInstance);
	}

	public static boolean isConflict(Throwable failure) {
		String state = sqlState(failure);
		return state != null && CONFLICTS.contains(state);
	}

	/**
	 * Returns whether the isolation of a transaction could not be set because of an
	 * earlier statement.
	 */
	public static boolean isTooLateForIsolation(Throwable failure) {
		return ACTIVE_TRANSACTION.equals(sqlState(failure));
	}

	/**
	 * Returns whether an earlier statement of the transaction has failed, after which the
	 * database accepts none.
	 */
	public static boolean isAborted(Throwable failure) {
		return FAILED_TRANSACTION.equals(sqlState(failure));
	}

	private static boolean isOfClass(Throwable failure, Set<String> classes) {
		String state = sqlState(failure);
		return state != null && state.length() == 5 && classes.contains(state.substring(0, 2));
	}

	private static @Nullable String sqlState(Throwable failure) {
		for (Throwable current = failure; current != null; current = current.getCause()) {
			if (current instanceof SQLException ex && ex.getSQLState() != null) {
				return ex.getSQLState();
			}
		}
		return null;
	}

}
