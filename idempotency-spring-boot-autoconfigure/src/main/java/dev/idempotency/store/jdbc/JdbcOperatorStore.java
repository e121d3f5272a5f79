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
import java.util.Optional;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Identity;
import dev.idempotency.store.KeptRecord;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.Overview;

/**
 * The operators' view of the tables, each method on a connection of its own.
 */
public final class JpaOperatorStore implements OperatorStore {

	private final EntityManagerFactory entityManagerFactory;

	private final OwnConnection ownConnection;

	private final OperatorStatements statements;

	private final NetworkTimeout timeout;

	private final String namespace;

	/**
	 * Create a store.
	 * @param entityManagerFactory the factory of the business entities
	 * @param timeout how long the database may take to give an overview
	 * @param namespace the application, of those that share the tables
	 */
	public JpaOperatorStore(EntityManagerFactory entityManagerFactory, Duration timeout, String namespace) {
		SqlDialect dialect = SqlDialectResolver.resolve(entityManagerFactory);
		this.entityManagerFactory = entityManagerFactory;
		this.ownConnection = new OwnConnection(entityManagerFactory, dialect.transactions());
		this.statements = dialect.operators();
		this.timeout = NetworkTimeout.of(timeout);
		this.namespace = namespace;
	}

	@Override
	public Overview overview() {
		return this.ownConnection.run((connection) -> this.timeout.run(connection,
				(timed) -> this.statements.overview(timed, this.namespace)));
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		try (EntityManager own = this.entityManagerFactory.createEntityManager()) {
			return this.statements.find(own, identity);
		}
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
