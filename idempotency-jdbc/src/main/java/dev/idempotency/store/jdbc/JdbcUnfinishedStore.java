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
import java.util.List;
import java.util.Optional;

import dev.idempotency.store.Identity;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.connection.StoreConnections;
import dev.idempotency.store.jdbc.sql.SqlDialect;
import dev.idempotency.store.jdbc.sql.UnfinishedStatements;

/**
 * The unfinished requests of one application, each method on a separate connection.
 */
public final class JdbcUnfinishedStore implements UnfinishedStore {

	private final OwnConnection ownConnection;

	private final UnfinishedStatements statements;

	private final String namespace;

	/**
	 * Creates a store.
	 * @param connections the connections of the business transactions
	 * @param timeout the time that the database may take to answer
	 * @param namespace the application, of those that share the tables
	 */
	public JdbcUnfinishedStore(StoreConnections connections, Duration timeout, String namespace) {
		SqlDialect dialect = SqlDialectResolver.resolve(connections.database());
		this.ownConnection = new OwnConnection(connections, dialect.transactions(), timeout);
		this.statements = dialect.unfinished();
		this.namespace = namespace;
	}

	@Override
	public List<Recovery> claimDue(RecoveryRequest request) {
		return this.ownConnection.run((connection) -> this.statements.claimDue(connection, this.namespace, request))
			.stream()
			.map(JdbcUnfinishedStore::toRecovery)
			.toList();
	}

	private static Recovery toRecovery(UnfinishedRecord claimed) {
		byte[] command = claimed.command();
		if (command == null) {
			throw new IllegalStateException("A request without a command was claimed");
		}
		return new Recovery(claimed.lease(), claimed.operation(), claimed.fingerprint(), command, claimed.progress());
	}

	@Override
	public List<String> markStuck(int maxAttempts, Duration keep) {
		return this.ownConnection
			.run((connection) -> this.statements.markStuck(connection, this.namespace, maxAttempts, keep));
	}

	@Override
	public Optional<UnfinishedRecord> find(Identity identity) {
		return this.ownConnection.run((connection) -> this.statements.find(connection, this.namespace, identity));
	}

	@Override
	public List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		return this.ownConnection
			.run((connection) -> this.statements.list(connection, this.namespace, filter, after, limit));
	}

	@Override
	public boolean retry(Identity identity) {
		return this.ownConnection.run((connection) -> this.statements.retry(connection, this.namespace, identity));
	}

	@Override
	public Optional<UnfinishedRecord> claim(Identity identity, Duration lease) {
		return this.ownConnection
			.run((connection) -> this.statements.claim(connection, this.namespace, identity, lease));
	}

}
