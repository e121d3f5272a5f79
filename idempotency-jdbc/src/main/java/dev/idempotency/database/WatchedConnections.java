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

import java.sql.Connection;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHandle;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import dev.idempotency.engine.lease.UnfencedWrites;

/**
 * A holder that passes connections on instead of keeping one: each caller gets one from
 * the data source and closes it. If Spring synchronizes without a transaction, as for
 * {@code SUPPORTS}, the connection is kept until the synchronization ends, as in Spring's
 * own holder.
 */
final class WatchedConnections extends ConnectionHolder implements UnfencedWrites.Binding {

	private final DataSource dataSource;

	private final Object key;

	private final Runnable onWrite;

	private boolean kept;

	private boolean registered;

	private int uses;

	WatchedConnections(DataSource dataSource, Runnable onWrite) {
		super((ConnectionHandle) () -> {
			throw new IllegalStateException("No connection was requested");
		});
		this.dataSource = dataSource;
		this.key = TransactionSynchronizationUtils.unwrapResourceIfNecessary(dataSource);
		this.onWrite = onWrite;
		super.setConnection(null);
		// The holder takes its connection on demand: JPA refuses one that exists before a
		// transaction begins.
		setSynchronizedWithTransaction(true);
	}

	/**
	 * Binds this to the current thread, unless a transaction is bound there.
	 */
	void bind() {
		if (!TransactionSynchronizationManager.hasResource(this.dataSource)) {
			TransactionSynchronizationManager.bindResource(this.dataSource, this);
		}
	}

	void unbind() {
		if (TransactionSynchronizationManager.getResource(this.dataSource) == this) {
			TransactionSynchronizationManager.unbindResource(this.dataSource);
		}
	}

	/**
	 * Any transaction manager, including one unknown to the library, may bind its own
	 * holder in place of this one.
	 */
	@Override
	public boolean isVoid() {
		Object bound = TransactionSynchronizationManager.getResourceMap().get(this.key);
		return bound != null && bound != this;
	}

	@Override
	protected boolean hasConnection() {
		return this.kept;
	}

	@Override
	protected void setConnection(@Nullable Connection connection) {
		super.setConnection((connection != null) ? WatchedJdbc.connection(connection, this.onWrite) : null);
		if (connection != null && TransactionSynchronizationManager.isSynchronizationActive()) {
			this.kept = true;
			this.uses = 1;
			if (!this.registered) {
				this.registered = true;
				TransactionSynchronizationManager.registerSynchronization(new Scope());
			}
		}
	}

	@Override
	public void requested() {
		this.uses++;
	}

	@Override
	public void released() {
		this.uses--;
	}

	private void giveBack() {
		if (this.kept) {
			this.kept = false;
			Connection connection = getConnection();
			super.setConnection(null);
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * A synchronization without a transaction.
	 */
	private final class Scope implements TransactionSynchronization {

		@Override
		public int getOrder() {
			return DataSourceUtils.CONNECTION_SYNCHRONIZATION_ORDER;
		}

		@Override
		public void suspend() {
			giveBackUnused();
		}

		@Override
		public void resume() {
			bind();
		}

		@Override
		public void beforeCompletion() {
			giveBackUnused();
		}

		@Override
		public void afterCompletion(int status) {
			giveBack();
			WatchedConnections.this.registered = false;
		}

		private void giveBackUnused() {
			if (WatchedConnections.this.uses == 0) {
				giveBack();
			}
		}

	}

}
