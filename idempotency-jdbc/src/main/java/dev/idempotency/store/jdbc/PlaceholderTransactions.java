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
package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.jdbc.ReadCommitted.Source;

/**
 * Several statements as one transaction, on a separate connection.
 *
 * @param locks begin the transaction
 */
record PlaceholderTransactions(PlaceholderLocks locks) implements OwnTransactions {

	@Override
	public <T extends @Nullable Object> T run(Connection connection, ConnectionWork<T> work) throws SQLException {
		return OneTransaction.run(connection, this.locks::begin, work);
	}

	@Override
	public Source isolation() {
		return Source.BEGIN;
	}

}
