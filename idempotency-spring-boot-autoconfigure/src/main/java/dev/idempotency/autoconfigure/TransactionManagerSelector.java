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

import java.util.Objects;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.util.StringUtils;

import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * The choice of the transaction manager of the business rows. Changes that another one
 * commits are not committed with the record.
 */
public final class TransactionManagerSelector {

	private static final Log logger = LogFactory.getLog(TransactionManagerSelector.class);

	private final ListableBeanFactory beanFactory;

	private final String name;

	/**
	 * Creates the choice.
	 * @param beanFactory the beans of the application
	 * @param properties the properties, which may name the transaction manager
	 */
	public TransactionManagerSelector(ListableBeanFactory beanFactory, IdempotencyProperties properties) {
		this.beanFactory = beanFactory;
		this.name = Objects.requireNonNullElse(properties.transactionManager(), "");
	}

	/**
	 * Selects the transaction manager.
	 * @return the transaction manager of the business rows
	 * @throws InvalidIdempotentException if there is no such transaction manager, or
	 * there are several and none is primary, or it has no listeners or synchronizations
	 */
	public PlatformTransactionManager select() {
		PlatformTransactionManager selected = find();
		requireListeners(selected);
		requireSynchronization(selected);
		return selected;
	}

	/**
	 * Adds a listener to the transactions of the business rows, unless it was added
	 * before.
	 * @param listener the listener
	 * @throws InvalidIdempotentException as for {@link #select}
	 */
	public void addListener(TransactionExecutionListener listener) {
		ConfigurableTransactionManager selected = requireListeners(find());
		if (!selected.getTransactionExecutionListeners().contains(listener)) {
			selected.addListener(listener);
		}
	}

	private static ConfigurableTransactionManager requireListeners(PlatformTransactionManager selected) {
		if (selected instanceof ConfigurableTransactionManager configurable) {
			return configurable;
		}
		throw new InvalidIdempotentException(
				"The transaction manager " + selected.getClass().getName()
						+ " has no listeners, so the library cannot refuse a commit after its lease is lost.",
				"Extend AbstractPlatformTransactionManager or implement ConfigurableTransactionManager, or set "
						+ "idempotency.transaction-manager to the bean name of the wrapped transaction manager.");
	}

	private static void requireSynchronization(PlatformTransactionManager selected) {
		if (selected instanceof AbstractPlatformTransactionManager manager && manager
			.getTransactionSynchronization() == AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER) {
			throw new InvalidIdempotentException(
					"The transaction manager " + selected.getClass().getName()
							+ " has transaction synchronization SYNCHRONIZATION_NEVER, so that statements do not join "
							+ "its transactions and a commit cannot be refused after a lease is lost.",
					"Set its transactionSynchronization to SYNCHRONIZATION_ALWAYS, the default, or "
							+ "SYNCHRONIZATION_ON_ACTUAL_TRANSACTION.");
		}
	}

	private PlatformTransactionManager find() {
		try {
			return StringUtils.hasText(this.name)
					? this.beanFactory.getBean(this.name, PlatformTransactionManager.class)
					: this.beanFactory.getBean(PlatformTransactionManager.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw new InvalidIdempotentException(
					StringUtils.hasText(this.name)
							? "The property idempotency.transaction-manager names '" + this.name
									+ "', but there is no such transaction manager."
							: "There is no single transaction manager: " + ex.getMessage() + ".",
					"Set idempotency.transaction-manager to the bean name of the transaction manager of the business "
							+ "entities, or make it primary.");
		}
	}

	/**
	 * Returns whether a transaction manager is the one of the business rows.
	 * @param qualifier its qualifier or bean name, as in {@code @Transactional}; empty
	 * for the default transaction manager
	 * @return {@code false} if it is another one
	 */
	public boolean isSelected(String qualifier) {
		TransactionManager declared = StringUtils.hasText(qualifier)
				? BeanFactoryAnnotationUtils.qualifiedBeanOfType(this.beanFactory, TransactionManager.class, qualifier)
				: unnamed();
		return declared == null || declared == select();
	}

	/**
	 * Returns the transaction manager that Spring uses for {@code @Transactional} without
	 * a name; {@code null} if there are several and none is primary, in which case Spring
	 * refuses the transaction.
	 */
	private @Nullable TransactionManager unnamed() {
		TransactionManagementConfigurer configurer = this.beanFactory
			.getBeanProvider(TransactionManagementConfigurer.class)
			.getIfAvailable();
		return (configurer != null) ? configurer.annotationDrivenTransactionManager()
				: this.beanFactory.getBeanProvider(TransactionManager.class).getIfUnique();
	}

	/**
	 * Logs the selected manager if there are several and the application has not named
	 * it, and reports commits of the others within a protected request.
	 * @param transactions receives the commits of the others
	 */
	void watchOthers(RequestTransactions transactions) {
		PlatformTransactionManager selected = select();
		String[] names = this.beanFactory.getBeanNamesForType(PlatformTransactionManager.class, false, false);
		String taken = "the primary one";
		for (String each : names) {
			Object manager = this.beanFactory.getBean(each);
			if (manager == selected) {
				taken = each;
			}
			else if (manager instanceof ConfigurableTransactionManager other) {
				other.addListener(transactions.listenerOfOther(each));
			}
		}
		if (names.length > 1 && !StringUtils.hasText(this.name)) {
			LogEvent.TRANSACTION_MANAGER_ASSUMED.log(logger,
					"The transaction managers are " + String.join(", ", names)
							+ ", and the records go to the database of the primary one, " + taken
							+ ". Set idempotency.transaction-manager=" + taken
							+ " if that is the one of the business rows, otherwise to the name of another one");
		}
	}

}
