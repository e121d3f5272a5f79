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

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.Session;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.resource.transaction.spi.TransactionCoordinator;
import org.hibernate.resource.transaction.spi.TransactionObserver;
import org.jspecify.annotations.Nullable;

import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.store.jdbc.StoreConnections;
import dev.idempotency.store.jdbc.StoreConnections.LastStatement;
import dev.idempotency.store.jdbc.StoreConnections.Place;

/**
 * The connections of JPA's transactions.
 */
public final class JpaConnections implements StoreConnections {

	private final EntityManagerFactory entityManagerFactory;

	private final EntityManager entityManager;

	/**
	 * Resolved on first use: the factory may still be starting in the background.
	 */
	private final SingletonSupplier<DataSource> pool = SingletonSupplier.ofNullable(this::findPool);

	/**
	 * Creates an instance.
	 * @param entityManagerFactory the factory of the business entities
	 */
	public JpaConnections(EntityManagerFactory entityManagerFactory) {
		this.entityManagerFactory = entityManagerFactory;
		this.entityManager = SharedEntityManagerCreator.createSharedEntityManager(entityManagerFactory);
	}

	/**
	 * Detects the database by Hibernate's dialect, so that no connection is needed.
	 */
	@Override
	public SupportedDatabase database() {
		Dialect dialect = this.entityManagerFactory.unwrap(SessionFactoryImplementor.class)
			.getJdbcServices()
			.getDialect();
		if (dialect instanceof H2Dialect) {
			return SupportedDatabase.H2;
		}
		if (dialect instanceof PostgreSQLDialect) {
			return SupportedDatabase.POSTGRESQL;
		}
		throw SupportedDatabase.unsupported(dialect.getClass().getSimpleName());
	}

	@Override
	public @Nullable DataSource dataSource() {
		return (this.entityManagerFactory instanceof EntityManagerFactoryInfo info) ? info.getDataSource() : null;
	}

	@Override
	public <T extends @Nullable Object> T inTransaction(Work<T> work) {
		return this.entityManager.unwrap(Session.class).doReturningWork(work::execute);
	}

	/**
	 * Uses a new connection or entity manager instead of the thread's, which may hold a
	 * broken connection or an unrelated transaction.
	 */
	@Override
	public <T extends @Nullable Object> T separately(Work<T> work) {
		returnConnectionBeforeAnother();
		DataSource pool = this.pool.get();
		if (pool != null) {
			try (Connection connection = pool.getConnection()) {
				return work.execute(connection);
			}
			catch (SQLException ex) {
				throw StoreConnections.translate(ex);
			}
		}
		try (EntityManager separate = this.entityManagerFactory.createEntityManager()) {
			return separate.unwrap(Session.class).doReturningWork(work::execute);
		}
	}

	/**
	 * Finds the pool that sessions take their connections from. With several tenants
	 * Hibernate has no such provider, and one of the application may do more than query a
	 * pool: then only a session can provide its connection.
	 */
	private @Nullable DataSource findPool() {
		ConnectionProvider provider = this.entityManagerFactory.unwrap(SessionFactoryImplementor.class)
			.getServiceRegistry()
			.getService(ConnectionProvider.class);
		return (provider != null && provider.getClass().getName().startsWith("org.hibernate.")
				&& provider.isUnwrappableAs(DataSource.class)) ? provider.unwrap(DataSource.class) : null;
	}

	/**
	 * An open session in view contains entities of earlier phases, and would keep its
	 * connection while another system is called.
	 */
	@Override
	public void enterPhase() {
		this.entityManager.clear();
		enterRequest();
	}

	/**
	 * Returns the connection of the session to the pool at the end of the current
	 * transaction. A session that lives longer, as open-in-view makes it, would keep it
	 * until the response is sent: each duplicate that waits or is refused would hold one,
	 * and so would each request under a lease while it waits for a second connection to
	 * store its response. The session takes another connection when it needs one.
	 */
	@Override
	public void enterRequest() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			SessionImplementor session = session();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					disconnect(session);
				}

			});
		}
	}

	/**
	 * Returns the connection that the thread's session keeps outside a transaction. A
	 * session with an open cursor keeps it.
	 */
	private void returnConnectionBeforeAnother() {
		if (!TransactionSynchronizationManager.isActualTransactionActive() && TransactionSynchronizationManager
			.getResource(this.entityManagerFactory) instanceof EntityManagerHolder holder) {
			SessionImplementor session = holder.getEntityManager().unwrap(SessionImplementor.class);
			if (session.isOpen() && !session.getJdbcCoordinator()
				.getLogicalConnection()
				.getResourceRegistry()
				.hasRegisteredResources()) {
				disconnect(session);
			}
		}
	}

	private static void disconnect(SessionImplementor session) {
		var connection = session.getJdbcCoordinator().getLogicalConnection();
		if (connection.isOpen() && connection.isPhysicallyConnected()) {
			connection.manualDisconnect();
		}
	}

	/**
	 * Attaches a statement to the commit of the current transaction.
	 * @return {@code false} if it cannot be attached: a transaction has one COMMIT, which
	 * Hibernate sends
	 */
	@Override
	public boolean sendLast(LastStatement last) {
		SessionImplementor session = session();
		TransactionCoordinator coordinator = session.getTransactionCoordinator();
		if (coordinator.getTransactionCoordinatorBuilder().isJta()
				|| !TransactionSynchronizationManager.isSynchronizationActive() || hasLast()) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(Attached.INSTANCE);
		coordinator.addObserver(new LastObserver(session, last));
		return true;
	}

	private static boolean hasLast() {
		for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
			if (synchronization == Attached.INSTANCE) {
				return true;
			}
		}
		return false;
	}

	@Override
	public boolean sendLastInCommit(LastStatement last) {
		return sendLast(last);
	}

	private SessionImplementor session() {
		return this.entityManager.unwrap(SessionImplementor.class);
	}

	/**
	 * Marks a transaction that has a last statement.
	 */
	private enum Attached implements TransactionSynchronization {

		INSTANCE

	}

	/**
	 * Sends the last statement of a transaction and its COMMIT in one message, once for
	 * each transaction:
	 * <ol>
	 * <li>Hibernate calls the observers of a transaction when everything else is done:
	 * the callbacks of Spring, the flush, the callbacks and synchronizations of the
	 * session, and its interceptor. The COMMIT is next.</li>
	 * <li>A statement that fails ends the message: the server does not reach the COMMIT,
	 * and Hibernate rolls back.</li>
	 * <li>The COMMIT that Hibernate asks for afterwards finds no open transaction, and
	 * the driver sends nothing.</li>
	 * </ol>
	 *
	 * @param session the session of the transaction
	 * @param last the statement
	 */
	private record LastObserver(SessionImplementor session, LastStatement last) implements TransactionObserver {

		@Override
		public void afterBegin() {
		}

		@Override
		public void beforeCompletion() {
			this.session.doWork((connection) -> this.last.send(connection, Place.WITH_COMMIT));
		}

		@Override
		public void afterCompletion(boolean successful, boolean delayed) {
			this.session.getTransactionCoordinator().removeObserver(this);
		}

	}

}
