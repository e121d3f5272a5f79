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
package dev.idempotency.autoconfigure;

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.StringUtils;

import dev.idempotency.InvalidIdempotentException;
import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.store.jpa.SqlDialectResolver;

/**
 * Finds the transaction manager of the business rows, and the entity managers that go
 * with it.
 */
final class TransactionManagerSelector {

	private final BeanFactory beanFactory;

	private final String name;

	TransactionManagerSelector(BeanFactory beanFactory, String name) {
		this.beanFactory = beanFactory;
		this.name = name;
	}

	PlatformTransactionManager select() {
		try {
			return StringUtils.hasText(this.name)
					? this.beanFactory.getBean(this.name, PlatformTransactionManager.class)
					: this.beanFactory.getBean(PlatformTransactionManager.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw new InvalidIdempotentException(
					StringUtils.hasText(this.name)
							? "The property idempotency.transaction-manager names '" + this.name
									+ "', and there is no such transaction manager."
							: "There is no single transaction manager: " + ex.getMessage() + ".",
					"Set idempotency.transaction-manager to the bean name of the transaction manager of the business "
							+ "entities, or make it primary.");
		}
	}

	EntityManagerFactory entityManagerFactory() {
		if (select() instanceof JpaTransactionManager jpa && jpa.getEntityManagerFactory() != null) {
			return jpa.getEntityManagerFactory();
		}
		return this.beanFactory.getBean(EntityManagerFactory.class);
	}

	SupportedDatabase database() {
		return SqlDialectResolver.database(entityManagerFactory());
	}

	/**
	 * The transactions of the business rows, for what is written in them or not at all.
	 */
	JoinedTransaction joinedTransaction() {
		return new JoinedTransaction(dataSource(), this::isOver);
	}

	/**
	 * Spring calls a transaction active until its last callback has returned.
	 */
	private boolean isOver() {
		return select() instanceof JpaTransactionManager jpa && jpa.getEntityManagerFactory() != null
				&& TransactionSynchronizationManager
					.getResource(jpa.getEntityManagerFactory()) instanceof EntityManagerHolder holder
				&& !holder.getEntityManager().getTransaction().isActive();
	}

	/**
	 * The data source whose connections take part in the transactions.
	 */
	DataSource dataSource() {
		PlatformTransactionManager selected = select();
		if (selected instanceof JpaTransactionManager jpa) {
			DataSource dataSource = jpa.getDataSource();
			if (dataSource == null) {
				throw new InvalidIdempotentException(
						"The transaction manager of the business entities knows no data source, so that jobs cannot "
								+ "be staged in its transactions.",
						"Give its entity manager factory a DataSource, or set idempotency.job.enabled=false.");
			}
			return dataSource;
		}
		if (selected instanceof ResourceTransactionManager resource
				&& resource.getResourceFactory() instanceof DataSource dataSource) {
			return dataSource;
		}
		return this.beanFactory.getBean(DataSource.class);
	}

}
