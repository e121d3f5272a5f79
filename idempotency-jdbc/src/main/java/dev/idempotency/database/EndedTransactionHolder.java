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
package dev.idempotency.database;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHandle;
import org.springframework.jdbc.datasource.ConnectionHolder;

/**
 * The connection of a transaction that has ended, for the transaction manager, which asks
 * for it again after unbinding it from the thread.
 */
final class EndedTransactionHolder extends ConnectionHolder {

	private final Runnable unbound;

	EndedTransactionHolder(ConnectionHandle handle, Runnable unbound) {
		super(handle);
		this.unbound = unbound;
	}

	/**
	 * Called by a transaction manager of JPA, which releases the handle.
	 */
	@Override
	public @Nullable ConnectionHandle getConnectionHandle() {
		this.unbound.run();
		return super.getConnectionHandle();
	}

	/**
	 * Called last, by a transaction manager of a data source.
	 */
	@Override
	public void clear() {
		super.clear();
		this.unbound.run();
	}

}
