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
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import dev.idempotency.database.TableNames;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.NamespaceStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;

/**
 * The stores of one application in one database.
 *
 * @param connections the connections of the business transactions
 * @param names the names of the tables
 * @param timeout the time that the database may take to answer
 * @param namespace the application, among those that share the tables
 */
public record JdbcStores(StoreConnections connections, TableNames names, Duration timeout, String namespace) {

	/**
	 * Creates the store of records and leases: on the connection of the business
	 * transaction, or on a separate one where the SPI says so.
	 * @param unpooled connects to the same database without the application's pool,
	 * {@code null} if no address is known; called by the first heartbeat, unless HikariCP
	 * has the pool
	 * @return the store, which also is {@link AutoCloseable}
	 */
	public LeaseStore store(Supplier<@Nullable DataSource> unpooled) {
		return switch (this.connections.database()) {
			case POSTGRESQL -> new PostgresStore(jdbc(), this.names, this.namespace, unpooled);
			case H2 -> new H2Store(jdbc(), this.names, this.namespace, unpooled);
		};
	}

	/**
	 * Creates the store of unfinished requests. Each of its methods uses a separate
	 * connection.
	 * @return the store
	 */
	public UnfinishedStore unfinished() {
		return switch (this.connections.database()) {
			case POSTGRESQL -> new PostgresUnfinishedStore(jdbc(), this.names, this.namespace);
			case H2 -> new H2UnfinishedStore(jdbc(), this.names, this.namespace);
		};
	}

	/**
	 * Creates the operators' view of the tables. Each of its methods uses a separate
	 * connection.
	 * @return the store
	 */
	public OperatorStore operators() {
		return switch (this.connections.database()) {
			case POSTGRESQL -> new PostgresOperatorStore(jdbc(), this.names, this.namespace);
			case H2 -> new H2OperatorStore(jdbc(), this.names, this.namespace);
		};
	}

	/**
	 * Creates the store of the application's check value. Each of its methods uses a
	 * separate connection.
	 * @return the store
	 */
	public NamespaceStore namespaces() {
		return new JdbcNamespaceStore(jdbc(), this.names, this.namespace);
	}

	private Jdbc jdbc() {
		return switch (this.connections.database()) {
			case POSTGRESQL -> PostgresStore.jdbc(this.connections, this.timeout);
			case H2 -> H2Store.jdbc(this.connections, this.timeout);
		};
	}

}
