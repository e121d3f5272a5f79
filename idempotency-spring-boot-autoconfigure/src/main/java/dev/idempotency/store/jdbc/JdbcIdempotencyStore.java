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

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Interruption;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;

/**
 * The store on the connection of the business transaction, or on a separate one where the
 * SPI says so.
 */
public final class JdbcIdempotencyStore implements IdempotencyStore {

	private static final Log logger = LogFactory.getLog(JdbcIdempotencyStore.class);

	private final StoreConnections connections;

	private final OwnTransactions transactions;

	private final RecordStatements records;

	private final NetworkTimeout timeout;

	private final String namespace;

	/**
	 * Create a store.
	 * @param connections the connections of the business transactions
	 * @param timeout how long the database may take to answer before anything was
	 * executed
	 * @param namespace the application, of those that share the tables
	 */
	public JdbcIdempotencyStore(StoreConnections connections, Duration timeout, String namespace) {
		SqlDialect dialect = SqlDialectResolver.resolve(connections.database());
		this.connections = connections;
		this.transactions = dialect.transactions();
		this.records = dialect.records();
		this.timeout = NetworkTimeout.of(timeout);
		this.namespace = namespace;
		LogEvent.DATABASE_SUPPORTED.log(logger, dialect.database().product() + ": " + dialect.strategy());
	}

	@Override
	public Attempt acquire(Identity identity) {
		this.connections.enterRequest();
		return inTransaction(
				(connection) -> this.timeout.run(connection, (timed) -> this.records.acquire(timed, identity)));
	}

	@Override
	public Attempt probe(Identity identity) {
		return onOwnConnection(
				(connection) -> this.timeout.run(connection, (timed) -> this.records.probe(timed, identity)));
	}

	@Override
	public boolean probesInOneMessage() {
		return this.transactions == OwnTransactions.ONE_MESSAGE;
	}

	@Override
	public boolean finish(FinishedRecord finished) {
		return inTransaction((connection) -> this.records.finish(connection, finished));
	}

	@Override
	public boolean finishWithCommit(FinishedRecord finished) {
		return (this.records.finishesWithCommit() && this.connections.commitWith((connection) -> {
			this.records.finishAndCommit(connection, finished);
			return true;
		})) || finish(finished);
	}

	@Override
	public Attempt lease(LeaseRequest request) {
		return onOwnConnection((connection) -> this.timeout.run(connection,
				(timed) -> this.records.lease(timed, request, this.namespace)));
	}

	@Override
	public void extend(Collection<Lease> leases, Duration duration) {
		onOwnConnection((connection) -> {
			this.records.extend(connection, leases, duration);
			return true;
		});
	}

	@Override
	public boolean confirm(Lease lease, Effect effect) {
		return inTransaction((connection) -> this.records.confirm(connection, lease, effect));
	}

	@Override
	public boolean isHeld(Lease lease) {
		return onOwnConnection((connection) -> this.records.isHeld(connection, lease));
	}

	@Override
	public boolean hold(Lease lease, Isolation isolation) {
		this.connections.enterPhase();
		return inTransaction((connection) -> this.records.hold(connection, lease, isolation));
	}

	@Override
	public boolean advance(Lease lease, String recoveryPoint, byte[] steps, Duration duration) {
		return inTransactionOrOwn(
				(connection) -> this.records.advance(connection, lease, recoveryPoint, steps, duration));
	}

	@Override
	public void interrupt(Lease lease, Interruption interruption) {
		onOwnConnection((connection) -> {
			this.records.interrupt(connection, lease, interruption);
			return true;
		});
	}

	@Override
	public boolean finish(Lease lease, FinishedRecord finished) {
		return inTransactionOrOwn((connection) -> this.records.finish(connection, lease, finished));
	}

	@Override
	public boolean finishPhase(Lease lease, FinishedRecord finished) {
		return inTransaction((connection) -> this.records.finishPhase(connection, lease, finished));
	}

	@Override
	public void release(Lease lease) {
		onOwnConnection((connection) -> {
			this.records.release(connection, lease);
			return true;
		});
	}

	@Override
	public void abandon(Collection<Lease> leases) {
		onOwnConnection((connection) -> {
			this.records.abandon(connection, leases);
			return true;
		});
	}

	@Override
	public boolean supersede(Lease lease) {
		return inTransaction((connection) -> this.records.supersede(connection, lease));
	}

	@Override
	public int deleteExpired(int limit) {
		return onOwnConnection((connection) -> this.records.deleteExpired(connection, limit));
	}

	@Override
	public Instant now() {
		return onOwnConnection(this.records::now);
	}

	private <T> T inTransactionOrOwn(ConnectionWork<T> work) {
		return TransactionSynchronizationManager.isActualTransactionActive() ? inTransaction(work)
				: onOwnConnection(work);
	}

	private <T> T inTransaction(ConnectionWork<T> work) {
		return this.connections.inTransaction(work);
	}

	private <T> T onOwnConnection(ConnectionWork<T> work) {
		return this.connections.separately((connection) -> this.transactions.run(connection, work));
	}

}
