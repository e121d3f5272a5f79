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

import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.engine.spi.SessionFactoryImplementor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.orm.jpa.JpaTransactionManager;

import dev.idempotency.engine.StartupCheck;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Stops the application if a transaction of Hibernate does not keep its connection from
 * begin to commit, or leaves it in auto-commit mode: nothing would be rolled back, and
 * the claim of a key would end with its statement.
 *
 * @param databases the database of the business rows
 * @param transactions the transactions of JPA
 */
record KeptConnectionCheck(ObjectProvider<BusinessDatabase> databases,
		JpaTransactionResources transactions) implements StartupCheck {

	@Override
	public void check() {
		this.databases.ifAvailable((database) -> {
			if (database.transactionManager() instanceof JpaTransactionManager jpa) {
				check(database,
						this.transactions.entityManagerFactory(jpa)
							.unwrap(SessionFactoryImplementor.class)
							.getSessionFactoryOptions());
			}
		});
	}

	private static void check(BusinessDatabase database, SessionFactoryOptions options) {
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
				&& database.checkingConnections().separately(Connection::getAutoCommit)) {
			throw new InvalidIdempotentException(
					"Transactions would run in auto-commit mode, where nothing is rolled back: "
							+ "hibernate.connection.provider_disables_autocommit is true, and the connections of the "
							+ "pool are in auto-commit mode.",
					"Set spring.datasource.hikari.auto-commit=false, or remove "
							+ "hibernate.connection.provider_disables_autocommit from spring.jpa.properties.");
		}
	}

}
