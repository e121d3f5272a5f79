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

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Predicate;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions of a data source that are committed or rolled back, while their
 * callbacks are being called: Spring keeps their connections bound until then, and
 * reports them as active.
 */
final class EndedTransactions implements TransactionExecutionListener {

	private final DataSource dataSource;

	private final Set<Object> ended = Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

	EndedTransactions(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		withCurrent(this.ended::add);
	}

	@Override
	public void beforeRollback(TransactionExecution transaction) {
		withCurrent(this.ended::add);
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		withCurrent(this.ended::remove);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		withCurrent(this.ended::remove);
	}

	boolean containsCurrent() {
		return withCurrent(this.ended::contains);
	}

	private boolean withCurrent(Predicate<Object> action) {
		Object holder = TransactionSynchronizationManager.getResource(this.dataSource);
		return holder != null && action.test(holder);
	}

}
