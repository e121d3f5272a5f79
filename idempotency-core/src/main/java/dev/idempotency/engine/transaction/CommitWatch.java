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

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Records that the database confirmed a commit, regardless of exceptions of the callbacks
 * after it.
 */
public final class CommitWatch implements TransactionSynchronization {

	private boolean committed;

	private CommitWatch() {
	}

	public static CommitWatch register() {
		CommitWatch watch = new CommitWatch();
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(watch);
		}
		return watch;
	}

	@Override
	public void afterCompletion(int status) {
		this.committed = (status == STATUS_COMMITTED);
	}

	public boolean isCommitted() {
		return this.committed;
	}

}
