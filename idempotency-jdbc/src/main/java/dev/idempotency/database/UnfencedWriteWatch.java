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

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHandle;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.engine.lease.UnfencedWrites;
import dev.idempotency.engine.operation.Reaction;
import dev.idempotency.logging.LogEvent;

/**
 * Reports writes of leased runs that use Spring's connections outside any transaction:
 * <ol>
 * <li>A holder without a connection is bound to the thread. Code that requests a
 * connection from Spring gets one from the pool, and returns it, as usual; the only
 * difference is that writing statements are detected.</li>
 * <li>A transaction manager that begins a transaction binds its own holder in its
 * place.</li>
 * <li>After the transaction it is bound again, once the transaction manager has unbound
 * its own holder.</li>
 * </ol>
 */
public final class UnfencedWriteWatch implements UnfencedWrites {

	private static final Log logger = LogFactory.getLog(UnfencedWriteWatch.class);

	private final SingletonSupplier<Optional<DataSource>> dataSource;

	private final Reaction reaction;

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	private final ThreadLocal<@Nullable WatchedConnections> current = new ThreadLocal<>();

	/**
	 * Creates a watch.
	 * @param dataSource the data source to which the transaction manager of the business
	 * rows binds connections, empty if it binds none; read when it is needed
	 * @param reaction the reaction to a write
	 */
	public UnfencedWriteWatch(Supplier<Optional<DataSource>> dataSource, Reaction reaction) {
		this.dataSource = SingletonSupplier.of(dataSource);
		this.reaction = reaction;
	}

	@Override
	public void watch(String operation) {
		end();
		if (this.reaction == Reaction.IGNORE || this.reported.contains(operation)) {
			return;
		}
		this.dataSource.obtain().ifPresent((watched) -> {
			WatchedConnections connections = new WatchedConnections(watched, () -> written(operation));
			this.current.set(connections);
			connections.bind();
		});
	}

	@Override
	public void end() {
		WatchedConnections connections = this.current.get();
		if (connections != null) {
			this.current.remove();
			connections.unbind();
		}
	}

	private void written(String operation) {
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			// It belongs to another transaction manager, which may use this data source
			// differently.
			return;
		}
		String message = operation + " writes outside Spring's transactions. The write is not undone when the lease "
				+ "is lost, and a retry repeats it. Annotate the handler, or the method of the service that writes, with "
				+ "@Transactional; idempotency.lease.unfenced-writes sets the reaction to such writes.";
		if (this.reaction == Reaction.FAIL) {
			throw new IllegalStateException(message);
		}
		if (this.reported.add(operation)) {
			LogEvent.UNFENCED_WRITE.log(logger, message);
		}
	}

	@Override
	public TransactionExecutionListener listener() {
		return new TransactionExecutionListener() {

			@Override
			public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
				WatchedConnections connections = UnfencedWriteWatch.this.current.get();
				if (connections != null && beginFailure != null) {
					connections.bind();
				}
			}

			@Override
			public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
				bindAfter(transaction);
			}

			@Override
			public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
				bindAfter(transaction);
			}

		};
	}

	/**
	 * The transaction manager calls its listeners while its holder is still bound, and
	 * afterwards calls only that holder: it is replaced by one that detects the end.
	 */
	private void bindAfter(TransactionExecution transaction) {
		WatchedConnections connections = this.current.get();
		if (connections != null && transaction.isNewTransaction()
				&& transaction instanceof DefaultTransactionStatus status
				&& status.getTransaction() instanceof JdbcTransactionObjectSupport resources
				&& resources.hasConnectionHolder()) {
			ConnectionHandle handle = resources.getConnectionHolder().getConnectionHandle();
			if (handle != null) {
				resources.setConnectionHolder(new EndedTransactionHolder(handle, () -> {
					if (this.current.get() == connections) {
						connections.bind();
					}
				}));
			}
		}
	}

	/**
	 * The connection of a transaction that has ended. The transaction manager requests it
	 * again after unbinding it from the thread.
	 */
	private static final class EndedTransactionHolder extends ConnectionHolder {

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

}
