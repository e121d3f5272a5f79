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
package dev.idempotency.store.memory;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.SmartTransactionObject;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transactions of the store in memory, for tests without a database. Inner transactions
 * join, new ones suspend, and the store commits and rolls back with them.
 */
public final class InMemoryTransactionManager extends AbstractPlatformTransactionManager {

	private static final long serialVersionUID = 1;

	@Override
	protected Object doGetTransaction() {
		Object open = TransactionSynchronizationManager.getResource(this);
		return (open != null) ? open : new Open();
	}

	@Override
	protected boolean isExistingTransaction(Object transaction) {
		return TransactionSynchronizationManager.getResource(this) == transaction;
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
		TransactionSynchronizationManager.bindResource(this, transaction);
	}

	@Override
	protected Object doSuspend(Object transaction) {
		return TransactionSynchronizationManager.unbindResource(this);
	}

	@Override
	protected void doResume(@Nullable Object transaction, Object suspended) {
		TransactionSynchronizationManager.bindResource(this, suspended);
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		this.logger.debug("The store commits on completion of the transaction");
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
		this.logger.debug("The store rolls back on completion of the transaction");
	}

	@Override
	protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		((Open) status.getTransaction()).rollbackOnly = true;
	}

	@Override
	protected void doCleanupAfterCompletion(Object transaction) {
		TransactionSynchronizationManager.unbindResource(this);
	}

	private static final class Open implements SmartTransactionObject {

		private boolean rollbackOnly;

		@Override
		public boolean isRollbackOnly() {
			return this.rollbackOnly;
		}

	}

}
