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

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.store.jdbc.StoreConnections;
import dev.idempotency.store.jpa.JpaConnections;

/**
 * Transactions in which entities are managed: those of JPA, and those of a container that
 * the entity manager joins.
 *
 * @param beanFactory finds the entity manager factory
 */
record JpaTransactionResources(ConfigurableBeanFactory beanFactory) {

	/**
	 * A transaction manager of a single resource other than JPA does not manage entities.
	 */
	boolean supports(PlatformTransactionManager transactionManager) {
		return transactionManager instanceof JpaTransactionManager
				|| !(transactionManager instanceof ResourceTransactionManager);
	}

	EntityManagerFactory entityManagerFactory(PlatformTransactionManager transactionManager) {
		if (transactionManager instanceof JpaTransactionManager jpa && jpa.getEntityManagerFactory() != null) {
			return jpa.getEntityManagerFactory();
		}
		return this.beanFactory.getBean(EntityManagerFactory.class);
	}

	StoreConnections connections(PlatformTransactionManager transactionManager) {
		return new JpaConnections(entityManagerFactory(transactionManager));
	}

	/**
	 * Finds the data source whose connections take part in the transactions.
	 * @return the data source; {@code null} if it is not known
	 */
	@Nullable DataSource dataSource(PlatformTransactionManager transactionManager) {
		if (transactionManager instanceof JpaTransactionManager jpa && jpa.getDataSource() != null) {
			return jpa.getDataSource();
		}
		return (entityManagerFactory(transactionManager) instanceof EntityManagerFactoryInfo info)
				? info.getDataSource() : null;
	}

	/**
	 * Returns whether the transaction of the current thread has ended, and its callbacks
	 * are being called: Spring calls it active until the last of them has returned.
	 */
	boolean isOver(PlatformTransactionManager transactionManager) {
		return transactionManager instanceof JpaTransactionManager
				&& TransactionSynchronizationManager
					.getResource(entityManagerFactory(transactionManager)) instanceof EntityManagerHolder holder
				&& !holder.getEntityManager().getTransaction().isActive();
	}

}
