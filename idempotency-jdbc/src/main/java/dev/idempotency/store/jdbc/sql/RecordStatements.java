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
package dev.idempotency.store.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.jdbc.connection.OwnTransactions;

/**
 * The statements behind {@link IdempotencyStore}, on a connection chosen by the caller.
 * The transaction on it is the caller's, too, unless {@link OwnTransactions} has made it.
 */
public interface RecordStatements {

	Attempt acquire(Connection connection, Identity identity) throws SQLException;

	/**
	 * Reads as {@link #acquire} does, on a separate connection and without lasting
	 * effects.
	 */
	Attempt probe(Connection connection, Identity identity) throws SQLException;

	boolean finish(Connection connection, FinishedRecord finished) throws SQLException;

	/**
	 * Returns whether one message can hold the record, or a fence, and the COMMIT.
	 */
	default boolean finishesWithCommit() {
		return false;
	}

	/**
	 * Sends that message, or fails with a
	 * {@link dev.idempotency.store.RecordConflictException} where a live record exists.
	 */
	default void finishAndCommit(Connection connection, FinishedRecord finished) throws SQLException {
		throw new UnsupportedOperationException("A message is one statement");
	}

	Attempt lease(Connection connection, LeaseRequest request, String namespace, OpenRequests open) throws SQLException;

	/**
	 * Extends leases.
	 * @return the number of those that are still held
	 */
	int extend(Connection connection, Collection<Lease> leases, Duration duration) throws SQLException;

	boolean confirm(Connection connection, Lease lease, Effect effect) throws SQLException;

	/**
	 * Confirms and commits in one message, or fails with a
	 * {@link dev.idempotency.exception.LeaseLostException} ahead of the COMMIT.
	 */
	default void confirmAndCommit(Connection connection, Lease lease, Effect effect) throws SQLException {
		throw new UnsupportedOperationException("A message is one statement");
	}

	boolean isHeld(Connection connection, Lease lease) throws SQLException;

	boolean hold(Connection connection, Lease lease, Isolation isolation) throws SQLException;

	boolean advance(Connection connection, Lease lease, @Nullable String from, String recoveryPoint, byte[] steps,
			Duration duration) throws SQLException;

	Optional<Progress> progress(Connection connection, Lease lease) throws SQLException;

	int interrupt(Connection connection, Lease lease, Interruption interruption) throws SQLException;

	boolean finish(Connection connection, Lease lease, FinishedRecord finished) throws SQLException;

	/**
	 * Finishes and commits in one message, or fails ahead of the COMMIT: with a
	 * {@link dev.idempotency.exception.LeaseLostException}, or with a
	 * {@link dev.idempotency.store.RecordConflictException} where a live record exists.
	 */
	default void finishAndCommit(Connection connection, Lease lease, FinishedRecord finished) throws SQLException {
		throw new UnsupportedOperationException("A message is one statement");
	}

	int release(Connection connection, Lease lease) throws SQLException;

	int abandon(Connection connection, Collection<Lease> leases) throws SQLException;

	boolean supersede(Connection connection, Lease lease) throws SQLException;

	int deleteExpired(Connection connection, int limit) throws SQLException;

	Instant now(Connection connection) throws SQLException;

}
