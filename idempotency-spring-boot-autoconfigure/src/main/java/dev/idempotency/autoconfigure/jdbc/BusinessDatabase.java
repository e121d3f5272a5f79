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
package dev.idempotency.autoconfigure.jdbc;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.autoconfigure.TransactionManagerSelector;
import dev.idempotency.autoconfigure.guard.DeferredActivation;
import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.StartupCheck;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.jdbc.JdbcStores;
import dev.idempotency.store.jdbc.StoreConnections;

/**
 * The database of the business rows: the data source and connections behind their
 * transaction manager, which records, scripts, jobs and events share.
 */
public final class BusinessDatabase implements StartupCheck {

	private final TransactionManagerSelector transactionManagers;

	private final BeanFactory beanFactory;

	private final TableNames names;

	private final Duration timeout;

	private final String namespace;

	private final DeferredActivation use;

	private final SingletonSupplier<StoreConnections> connections = SingletonSupplier.of(this::createConnections);

	private final SingletonSupplier<JoinedTransaction> joinedTransaction = SingletonSupplier
		.of(this::createJoinedTransaction);

	BusinessDatabase(TransactionManagerSelector transactionManagers, BeanFactory beanFactory,
			IdempotencyProperties properties, SchemaProperties schema, DeferredActivation use) {
		Environment environment = beanFactory.getBean(Environment.class);
		this.transactionManagers = transactionManagers;
		this.beanFactory = beanFactory;
		this.names = schema.names(environment);
		this.timeout = properties.storeTimeout();
		this.namespace = properties.namespaceIn(environment);
		this.use = use;
	}

	/**
	 * Returns the transaction manager of the business rows.
	 * @return the selected transaction manager
	 */
	public PlatformTransactionManager transactionManager() {
		return this.transactionManagers.select();
	}

	/**
	 * Returns the names of the tables.
	 * @return the names, in the configured schema
	 */
	public TableNames names() {
		return this.names;
	}

	/**
	 * Returns the kind of database.
	 * @return the supported database
	 */
	public SupportedDatabase kind() {
		return connections().database();
	}

	/**
	 * Returns the connections of the store.
	 * @return the connections, the same each time
	 * @throws InvalidIdempotentException if they are routed to several databases
	 */
	public StoreConnections connections() {
		return this.connections.obtain();
	}

	/**
	 * Returns connections for the checks of the tables before their first use.
	 * @return the connections of the store; connections outside the pool, if the tables
	 * are first used in a running application, where a transaction may hold the pool's
	 * last connection
	 */
	public StoreConnections checkingConnections() {
		return this.use.isBeginningLate()
				? StoreConnections.of(UnpooledConnections.forFirstUse(dataSource()), transactionManager())
				: connections();
	}

	JdbcStores stores(StoreConnections connections) {
		return new JdbcStores(connections, this.names, this.timeout, this.namespace);
	}

	private StoreConnections createConnections() {
		JpaTransactionResources jpa = jpa();
		StoreConnections plain = (jpa != null) ? jpa.connections()
				: StoreConnections.of(dataSource(), transactionManager());
		DataSource routing = plain.dataSource();
		if (routing != null) {
			RoutingTargets.requireOneDatabase(routing, this.names,
					this.use.isBeginningLate() ? UnpooledConnections::forFirstUse : UnaryOperator.identity());
		}
		return plain;
	}

	private @Nullable JpaTransactionResources jpa() {
		JpaTransactionResources jpa = this.beanFactory.getBeanProvider(JpaTransactionResources.class).getIfAvailable();
		return (jpa != null && jpa.areInUse()) ? jpa : null;
	}

	@Override
	public void check() {
		JpaTransactionResources jpa = jpa();
		if (jpa != null) {
			jpa.requireKeptConnection(this::checkingConnections);
		}
	}

	/**
	 * Returns the transactions of the business rows, for writes that must not happen
	 * outside one.
	 * @return the transactions, the same each time
	 */
	public JoinedTransaction joinedTransaction() {
		return this.joinedTransaction.obtain();
	}

	private JoinedTransaction createJoinedTransaction() {
		JpaTransactionResources jpa = jpa();
		BooleanSupplier over;
		if (jpa != null) {
			over = jpa::isOver;
		}
		else {
			RequestTransactions transactions = this.beanFactory.getBean(RequestTransactions.class);
			this.transactionManagers.addListener(transactions.listener());
			over = transactions::isOver;
		}
		return new JoinedTransaction(dataSource(), over, this.names);
	}

	/**
	 * Returns the data source whose connections take part in the transactions.
	 * @return the data source of the transaction manager
	 * @throws InvalidIdempotentException if it has none, and there is no single one
	 */
	public DataSource dataSource() {
		JpaTransactionResources jpa = jpa();
		DataSource managed = (jpa != null) ? jpa.dataSource() : null;
		if (managed != null) {
			return managed;
		}
		if (transactionManager() instanceof ResourceTransactionManager resource
				&& resource.getResourceFactory() instanceof DataSource dataSource) {
			return dataSource;
		}
		DataSource single = this.beanFactory.getBeanProvider(DataSource.class).getIfUnique();
		if (single == null) {
			throw new InvalidIdempotentException(
					"The transaction manager of the business rows has no DataSource, and the application has none or "
							+ "several without a primary one.",
					"Give its entity manager factory a DataSource, make one DataSource primary, or set "
							+ "idempotency.transaction-manager to a transaction manager that has one.");
		}
		return single;
	}

}
