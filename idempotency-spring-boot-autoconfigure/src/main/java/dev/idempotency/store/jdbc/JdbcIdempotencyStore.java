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
package dev.idempotency.store.jpa;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.Session;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.jdbc.ReturningWork;

import org.springframework.orm.jpa.SharedEntityManagerCreator;
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
 * The store on the connection of the JPA transaction, or on one of its own where the SPI
 * says so.
 */
public final class JpaIdempotencyStore implements IdempotencyStore {

	private static final Log logger = LogFactory.getLog(JpaIdempotencyStore.class);

	private final OwnConnection ownConnection;

	private final EntityManager entityManager;

	private final RecordStatements records;

	private final NetworkTimeout timeout;

	private final String namespace;

	/**
	 * Create a store.
	 * @param entityManagerFactory the factory of the business entities
	 * @param timeout how long the database may take to answer before anything was
	 * executed
	 * @param namespace the application, of those that share the tables
	 */
	public JpaIdempotencyStore(EntityManagerFactory entityManagerFactory, Duration timeout, String namespace) {
		SqlDialect dialect = SqlDialectResolver.resolve(entityManagerFactory);
		this.ownConnection = new OwnConnection(entityManagerFactory, dialect.transactions());
		this.entityManager = SharedEntityManagerCreator.createSharedEntityManager(entityManagerFactory);
		this.records = dialect.records();
		this.timeout = NetworkTimeout.of(timeout);
		this.namespace = namespace;
		LogEvent.DATABASE_SUPPORTED.log(logger, dialect.database().product() + ": " + dialect.strategy());
	}

	@Override
	public Attempt acquire(Identity identity) {
		ConnectionReturn.atEndOfTransaction(this.entityManager.unwrap(SessionImplementor.class));
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
		return this.ownConnection.transactions() == OwnTransactions.ONE_MESSAGE;
	}

	@Override
	public boolean finish(FinishedRecord finished) {
		return inTransaction((connection) -> this.records.finish(connection, finished));
	}

	@Override
	public boolean finishWithCommit(FinishedRecord finished) {
		return (this.records.finishesWithCommit()
				&& RecordWithCommit.register(this.entityManager.unwrap(SessionImplementor.class),
						(connection) -> this.records.finishAndCommit(connection, finished)))
				|| finish(finished);
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
			return null;
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
		// An open session in view has entities of earlier phases, and would keep its
		// connection while another system is called.
		this.entityManager.clear();
		ConnectionReturn.atEndOfTransaction(this.entityManager.unwrap(SessionImplementor.class));
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
			return null;
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
			return null;
		});
	}

	@Override
	public void abandon(Collection<Lease> leases) {
		onOwnConnection((connection) -> {
			this.records.abandon(connection, leases);
			return null;
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

	private <T> T inTransactionOrOwn(ReturningWork<T> work) {
		return TransactionSynchronizationManager.isActualTransactionActive() ? inTransaction(work)
				: onOwnConnection(work);
	}

	private <T> T inTransaction(ReturningWork<T> work) {
		return this.entityManager.unwrap(Session.class).doReturningWork(work);
	}

	private <T> T onOwnConnection(ReturningWork<T> work) {
		return this.ownConnection.run(work);
	}

}
