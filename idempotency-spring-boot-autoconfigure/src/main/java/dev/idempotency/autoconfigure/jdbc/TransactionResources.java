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

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.store.jdbc.StoreConnections;

/**
 * The resources behind transaction managers of one kind, where these are more than a data
 * source.
 */
public interface TransactionResources {

	boolean supports(PlatformTransactionManager transactionManager);

	StoreConnections connections(PlatformTransactionManager transactionManager);

	/**
	 * Finds the data source whose connections take part in the transactions.
	 * @param transactionManager a supported transaction manager
	 * @return the data source; {@code null} if it is not known
	 */
	@Nullable DataSource dataSource(PlatformTransactionManager transactionManager);

	/**
	 * Returns whether the transaction of the current thread has ended, and its callbacks
	 * are being called: Spring calls it active until the last of them has returned.
	 * @param transactionManager a supported transaction manager
	 * @return whether it has ended
	 */
	boolean isOver(PlatformTransactionManager transactionManager);

}
