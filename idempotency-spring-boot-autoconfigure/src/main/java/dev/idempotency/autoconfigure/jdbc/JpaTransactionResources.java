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

import java.sql.Connection;
import java.util.Optional;
import java.util.function.Supplier;

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.autoconfigure.TransactionManagerSelector;
import dev.idempotency.engine.identity.CallerAccounts.TenantSource;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.jdbc.StoreConnections;
import dev.idempotency.store.jpa.JpaConnections;

/**
 * The transactions in which entities are managed, if the selected transaction manager is
 * JPA's or belongs to a container that the entity manager joins: their connections, and
 * Hibernate's tenant of the current thread, for applications that separate tenants by
 * databases, schemas or {@code @TenantId}.
 */
final class JpaTransactionResources implements TenantSource {

	private final SingletonSupplier<PlatformTransactionManager> transactionManager;

	private final SingletonSupplier<EntityManagerFactory> entityManagerFactory;

	private final SingletonSupplier<SessionFactoryImplementor> sessions;

	JpaTransactionResources(ObjectProvider<TransactionManagerSelector> transactionManagers, BeanFactory beanFactory) {
		this.transactionManager = SingletonSupplier.of(() -> transactionManagers.getObject().select());
		this.entityManagerFactory = SingletonSupplier
			.of(() -> (transactionManager() instanceof JpaTransactionManager jpa
					&& jpa.getEntityManagerFactory() != null) ? jpa.getEntityManagerFactory()
							: beanFactory.getBean(EntityManagerFactory.class));
		this.sessions = SingletonSupplier.of(() -> entityManagerFactory().unwrap(SessionFactoryImplementor.class));
	}

	private PlatformTransactionManager transactionManager() {
		return this.transactionManager.obtain();
	}

	/**
	 * Returns whether entities are managed. They are not by a transaction manager of a
	 * single resource other than JPA.
	 */
	boolean areInUse() {
		return transactionManager() instanceof JpaTransactionManager
				|| !(transactionManager() instanceof ResourceTransactionManager);
	}

	EntityManagerFactory entityManagerFactory() {
		return this.entityManagerFactory.obtain();
	}

	StoreConnections connections() {
		return new JpaConnections(entityManagerFactory());
	}

	/**
	 * Finds the data source whose connections take part in the transactions.
	 * @return the data source; {@code null} if it is not known
	 */
	@Nullable DataSource dataSource() {
		if (transactionManager() instanceof JpaTransactionManager jpa && jpa.getDataSource() != null) {
			return jpa.getDataSource();
		}
		return (entityManagerFactory() instanceof EntityManagerFactoryInfo info) ? info.getDataSource() : null;
	}

	/**
	 * Returns whether the transaction of the current thread has ended, and its callbacks
	 * are being called: Spring calls it active until the last of them has returned.
	 */
	boolean isOver() {
		return transactionManager() instanceof JpaTransactionManager
				&& TransactionSynchronizationManager
					.getResource(entityManagerFactory()) instanceof EntityManagerHolder holder
				&& !holder.getEntityManager().getTransaction().isActive();
	}

	@Override
	public Optional<Supplier<String>> find() {
		if (!areInUse()) {
			return Optional.empty();
		}
		SessionFactoryImplementor factory = this.sessions.obtain();
		CurrentTenantIdentifierResolver<Object> resolver = factory.getCurrentTenantIdentifierResolver();
		return (resolver != null) ? Optional.of(() -> tenant(factory, resolver.resolveCurrentTenantIdentifier()))
				: Optional.empty();
	}

	private static String tenant(SessionFactoryImplementor factory, @Nullable Object tenant) {
		return (tenant != null) ? factory.getTenantIdentifierJavaType().toString(tenant) : "";
	}

	/**
	 * Stops the application if a transaction of Hibernate does not keep its connection
	 * from begin to commit, or leaves it in auto-commit mode: nothing would be rolled
	 * back, and the claim of a key would end with its statement.
	 * @param connections provides connections for this check
	 */
	void requireKeptConnection(Supplier<StoreConnections> connections) {
		if (!(transactionManager() instanceof JpaTransactionManager)) {
			return;
		}
		SessionFactoryOptions options = this.sessions.obtain().getSessionFactoryOptions();
		switch (options.getPhysicalConnectionHandlingMode().getReleaseMode()) {
			case AFTER_STATEMENT, BEFORE_TRANSACTION_COMPLETION -> throw new InvalidIdempotentException(
					"Hibernate gives the connection of a transaction back before the transaction has ended, so nothing "
							+ "would be rolled back: hibernate.connection.handling_mode is "
							+ options.getPhysicalConnectionHandlingMode() + ".",
					"Remove hibernate.connection.handling_mode from spring.jpa.properties, or set it to "
							+ "DELAYED_ACQUISITION_AND_RELEASE_AFTER_TRANSACTION.");
			case AFTER_TRANSACTION, ON_CLOSE -> {
				// Kept for the whole transaction.
			}
		}
		if (options.doesConnectionProviderDisableAutoCommit()
				&& connections.get().separately(Connection::getAutoCommit)) {
			throw new InvalidIdempotentException(
					"Transactions would run in auto-commit mode, where nothing is rolled back: "
							+ "hibernate.connection.provider_disables_autocommit is true, and the connections of the "
							+ "pool are in auto-commit mode.",
					"Set spring.datasource.hikari.auto-commit=false, or remove "
							+ "hibernate.connection.provider_disables_autocommit from spring.jpa.properties.");
		}
	}

}
