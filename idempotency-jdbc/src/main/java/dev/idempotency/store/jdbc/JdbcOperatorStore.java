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

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.OperatorStore.Overview;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.connection.StoreConnections;
import dev.idempotency.store.jdbc.sql.OperatorStatements;
import dev.idempotency.store.jdbc.sql.SqlDialect;

/**
 * The operators' view of the tables, each method on a separate connection.
 */
public final class JdbcOperatorStore implements OperatorStore {

	private final OwnConnection ownConnection;

	private final OperatorStatements statements;

	private final String namespace;

	/**
	 * Creates a store.
	 * @param connections the connections of the business transactions
	 * @param timeout the time that the database may take to answer
	 * @param namespace the application, of those that share the tables
	 */
	public JdbcOperatorStore(StoreConnections connections, Duration timeout, String namespace) {
		SqlDialect dialect = SqlDialectResolver.resolve(connections.database());
		this.ownConnection = new OwnConnection(connections, dialect.transactions(), timeout);
		this.statements = dialect.operators();
		this.namespace = namespace;
	}

	@Override
	public Overview overview() {
		return this.ownConnection.run((connection) -> this.statements.overview(connection, this.namespace));
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		return this.ownConnection.run((connection) -> this.statements.find(connection, identity));
	}

	@Override
	public List<Identity> between(byte[] first, byte[] last, int limit) {
		return this.ownConnection
			.run((connection) -> this.statements.between(connection, this.namespace, first, last, limit));
	}

	@Override
	public int countUnfinished(byte[] account) {
		return this.ownConnection
			.run((connection) -> this.statements.countUnfinished(connection, this.namespace, account));
	}

	@Override
	public int deleteUnfinished(byte[] account) {
		return this.ownConnection
			.run((connection) -> this.statements.deleteUnfinished(connection, this.namespace, account));
	}

	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return this.ownConnection
			.run((connection) -> this.statements.deleteFinished(connection, account, after, limit));
	}

}
