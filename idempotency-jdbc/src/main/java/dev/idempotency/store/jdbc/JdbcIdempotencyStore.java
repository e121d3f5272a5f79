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
import java.util.Optional;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.RecordConflictException;
import dev.idempotency.store.jdbc.connection.ConnectionWork;
import dev.idempotency.store.jdbc.connection.HeartbeatConnections;
import dev.idempotency.store.jdbc.connection.NetworkTimeout;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.connection.StoreConnections;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.RecordStatements;
import dev.idempotency.store.jdbc.sql.SqlDialect;

/**
 * The store on the connection of the business transaction, or on a separate one where the
 * SPI says so.
 */
public final class JdbcIdempotencyStore implements LeaseStore, AutoCloseable {

	/**
	 * Time limit of a batch, as a multiple of that for one record.
	 */
	private static final int BATCH = 12;

	private static final Log logger = LogFactory.getLog(JdbcIdempotencyStore.class);

	private final OwnConnection ownConnection;

	private final StoreConnections connections;

	private final RecordStatements records;

	private final HeartbeatConnections heartbeats;

	private final NetworkTimeout timeout;

	private final String namespace;

	private final OpenRequests open = new OpenRequests();

	/**
	 * Creates a store.
	 * @param connections the connections of the business transactions
	 * @param names the names of the tables
	 * @param timeout the time that the database may take to answer
	 * @param namespace the application, among those that share the tables
	 * @param unpooled connects to the same database without the application's pool,
	 * {@code null} if no address is known; called by the first heartbeat, unless HikariCP
	 * has the pool
	 */
	public JdbcIdempotencyStore(StoreConnections connections, TableNames names, Duration timeout, String namespace,
			Supplier<@Nullable DataSource> unpooled) {
		SqlDialect dialect = JdbcStores.dialect(connections, names);
		this.ownConnection = new OwnConnection(connections, dialect.transactions(), timeout);
		this.connections = connections;
		this.records = dialect.records();
		this.timeout = NetworkTimeout.of(timeout);
		this.namespace = namespace;
		this.heartbeats = new HeartbeatConnections(connections, this.ownConnection, unpooled);
		LogEvent.DATABASE_SUPPORTED.log(logger, connections.database().product() + ": " + dialect.strategy());
		if (connections.database() == SupportedDatabase.H2) {
			LogEvent.DATABASE_FOR_TESTS.log(logger,
					"The records are kept in H2, which is for tests and development: use PostgreSQL in production");
		}
	}

	@Override
	public Attempt acquire(Identity identity) {
		this.connections.enterRequest();
		return inTransaction((connection) -> this.records.acquire(connection, identity));
	}

	@Override
	public Attempt probe(Identity identity) {
		return this.ownConnection.run((connection) -> this.records.probe(connection, identity));
	}

	@Override
	public boolean probesInOneMessage() {
		return this.records.sendsSeveralAtOnce();
	}

	@Override
	public boolean finish(FinishedRecord finished) {
		return inTransaction((connection) -> this.records.finish(connection, finished));
	}

	@Override
	public boolean finishAfterRollback(FinishedRecord finished) {
		return inTransaction((connection) -> this.records.finishAfterRollback(connection, finished));
	}

	@Override
	public boolean finishWithCommit(FinishedRecord finished) {
		return (this.records.sendsSeveralAtOnce() && this.connections
			.sendLast((connection, place) -> this.timeout.run(connection, (limited) -> switch (place) {
				case WITH_COMMIT -> {
					this.records.finishAndCommit(limited, finished);
					yield true;
				}
				case BEFORE_COMMIT -> require(this.records.finish(limited, finished), RecordConflictException::new);
			}))) || finish(finished);
	}

	@Override
	public Attempt lease(LeaseRequest request) {
		return this.ownConnection
			.run((connection) -> this.records.lease(connection, request, this.namespace, this.open));
	}

	@Override
	public void extend(Collection<Lease> leases, Duration duration) {
		this.heartbeats.extend(leases.size(), duration,
				(connection) -> this.records.extend(connection, leases, duration));
	}

	@Override
	public boolean confirm(Lease lease, Effect effect) {
		return inTransaction((connection) -> this.records.confirm(connection, lease, effect));
	}

	@Override
	public boolean confirmWithCommit(Lease lease, Effect effect) {
		return (this.ownConnection.isDefault() && this.records.sendsSeveralAtOnce() && this.connections
			.sendLastInCommit((connection, place) -> this.timeout.run(connection, (limited) -> switch (place) {
				case WITH_COMMIT -> {
					this.records.confirmAndCommit(limited, lease, effect);
					yield true;
				}
				case BEFORE_COMMIT -> require(this.records.confirm(limited, lease, effect), LeaseLostException::new);
			}))) || confirm(lease, effect);
	}

	@Override
	public boolean isHeld(Lease lease) {
		return this.ownConnection.run((connection) -> this.records.isHeld(connection, lease));
	}

	@Override
	public boolean hold(Lease lease, Isolation isolation) {
		this.connections.enterPhase();
		return inTransaction((connection) -> this.records.hold(connection, lease, isolation));
	}

	@Override
	public boolean hold(Lease lease) {
		return inTransaction((connection) -> this.records.hold(connection, lease, Isolation.DEFAULT));
	}

	@Override
	public boolean advance(Lease lease, @Nullable String from, @Nullable String recoveryPoint, byte[] steps,
			Duration duration) {
		return inTransactionOrOwn(
				(connection) -> this.records.advance(connection, lease, from, recoveryPoint, steps, duration));
	}

	@Override
	public Optional<Progress> progress(Lease lease) {
		return this.ownConnection.run((connection) -> this.records.progress(connection, lease));
	}

	@Override
	public void interrupt(Lease lease, Interruption interruption) {
		this.ownConnection.run((connection) -> this.records.interrupt(connection, lease, interruption));
	}

	@Override
	public boolean finish(Lease lease, FinishedRecord finished) {
		return inTransactionOrOwn((connection) -> this.records.finish(connection, lease, finished));
	}

	@Override
	public boolean finishAtCommit(Lease lease, FinishedRecord finished) {
		return this.records.sendsSeveralAtOnce() && this.connections
			.sendLast((connection, place) -> this.timeout.run(connection, (limited) -> switch (place) {
				case WITH_COMMIT -> {
					this.records.finishAndCommit(limited, lease, finished);
					yield true;
				}
				case BEFORE_COMMIT -> require(this.records.finish(limited, lease, finished), LeaseLostException::new);
			}));
	}

	/**
	 * Fails the commit from within, where a return value reaches nobody.
	 */
	private static boolean require(boolean written, Supplier<RuntimeException> otherwise) {
		if (!written) {
			throw otherwise.get();
		}
		return true;
	}

	@Override
	public void release(Lease lease) {
		this.ownConnection.run((connection) -> this.records.release(connection, lease));
	}

	@Override
	public void abandon(Collection<Lease> leases) {
		this.ownConnection.run((connection) -> this.records.abandon(connection, leases));
	}

	@Override
	public boolean supersede(Lease lease) {
		return inTransaction((connection) -> this.records.supersede(connection, lease));
	}

	@Override
	public int deleteExpired(int limit) {
		return this.ownConnection.run(new NetworkTimeout(this.timeout.millis() * BATCH),
				(connection) -> this.records.deleteExpired(connection, limit));
	}

	@Override
	public Instant now() {
		return this.ownConnection.run(this.records::now);
	}

	private <T extends @Nullable Object> T inTransactionOrOwn(ConnectionWork<T> work) {
		return TransactionSynchronizationManager.isActualTransactionActive() ? inTransaction(work)
				: this.ownConnection.run(work);
	}

	private <T extends @Nullable Object> T inTransaction(ConnectionWork<T> work) {
		return this.connections.inTransaction((connection) -> this.timeout.run(connection, work));
	}

	@Override
	public boolean readsCommitted() {
		return this.ownConnection.isDefault();
	}

	/**
	 * Closes the connections of the heartbeats.
	 */
	@Override
	public void close() throws Exception {
		this.heartbeats.close();
	}

}
