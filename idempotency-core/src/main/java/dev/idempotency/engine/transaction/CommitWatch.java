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
package dev.idempotency.engine.transaction;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.logging.LogEvent;

/**
 * Records the progress of a commit. After an exception of an earlier callback nothing was
 * sent to the database; an exception of a later callback changes nothing. The watch is
 * registered after the callbacks of the application and before those of this library,
 * which may send the commit.
 */
public final class CommitWatch implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(CommitWatch.class);

	/**
	 * Without callbacks nobody knows what was sent.
	 */
	private boolean sent = !TransactionSynchronizationManager.isSynchronizationActive();

	private boolean committed;

	/**
	 * Watches the current transaction.
	 */
	public CommitWatch() {
		if (!this.sent) {
			TransactionSynchronizationManager.registerSynchronization(this);
		}
	}

	/**
	 * Commits. A failure of the callbacks after the commit is logged.
	 * @param transactionManager the transaction manager of the business rows
	 * @param transaction the transaction
	 * @param operation the name of the operation that runs in it
	 */
	public void commit(PlatformTransactionManager transactionManager, TransactionStatus transaction, String operation) {
		try {
			transactionManager.commit(transaction);
		}
		catch (RuntimeException | Error ex) {
			if (!this.committed) {
				throw ex;
			}
			LogEvent.CALLBACK_FAILED.log(logger, "A callback after the commit failed [" + operation + "]", ex);
		}
	}

	/**
	 * Returns whether a commit failed before anything of it was sent to the database.
	 * @param failure the exception of the commit
	 * @return {@code false} if only the database knows its outcome
	 */
	public boolean isNothingSent(Throwable failure) {
		return !this.sent || failure instanceof UnexpectedRollbackException;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		this.sent = true;
	}

	@Override
	public void afterCompletion(int status) {
		this.committed = (status == STATUS_COMMITTED);
	}

}
