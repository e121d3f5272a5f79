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

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.engine.lease.LeaseFence;
import dev.idempotency.logging.LogEvent;

/**
 * A guard of the threads that work for requests. No transaction, binding or fence
 * outlives its request.
 * <ol>
 * <li>The state of the thread is recorded when it starts to work for a request.</li>
 * <li>The transaction manager reports each transaction that begins. If one has not ended
 * and will not hold the answer, the manager rolls it back: this unbinds its resources,
 * returns its connection clean, and resumes the suspended transaction.</li>
 * <li>A transaction of another manager is detected by its resources on the thread. Its
 * connection is aborted.</li>
 * </ol>
 */
public final class ThreadGuard {

	private static final Log logger = LogFactory.getLog(ThreadGuard.class);

	private static final TransactionDefinition MANDATORY = new DefaultTransactionDefinition(
			TransactionDefinition.PROPAGATION_MANDATORY);

	private final SingletonSupplier<PlatformTransactionManager> transactionManager;

	private final LeaseFence fence;

	private final ResourceDisposer disposer;

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	private final ThreadLocal<@Nullable ThreadWatch> current = new ThreadLocal<>();

	private final EndingTransactions ending = new EndingTransactions();

	/**
	 * Creates a guard.
	 * @param transactionManager supplies the transaction manager of the business rows
	 * when it is needed
	 * @param fence the fence of leased runs
	 * @param disposer gives up a resource that a transaction has left on the thread
	 */
	public ThreadGuard(Supplier<PlatformTransactionManager> transactionManager, LeaseFence fence,
			ResourceDisposer disposer) {
		this.transactionManager = SingletonSupplier.of(transactionManager);
		this.fence = fence;
		this.disposer = disposer;
	}

	/**
	 * Returns the listener for the begin of transactions.
	 * @return the listener to add to the transaction manager of the business rows
	 */
	public TransactionExecutionListener listener() {
		return new TransactionExecutionListener() {

			@Override
			public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
				ThreadWatch watch = ThreadGuard.this.current.get();
				if (watch != null && beginFailure == null && transaction.isNewTransaction()
						&& transaction instanceof TransactionStatus status) {
					watch.begun(status);
				}
			}

		};
	}

	/**
	 * Returns the listener for the end of transactions.
	 * @return the listener to add to the transaction manager of the business rows
	 */
	public TransactionExecutionListener endListener() {
		return this.ending;
	}

	/**
	 * Returns whether the transaction of the current thread has already ended and its
	 * callbacks are running. Work that participates in it is not committed.
	 * @return {@code false} also without a transaction
	 */
	public boolean isTransactionOver() {
		return this.ending.containsCurrent() && TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * Returns a listener that reports commits of another transaction manager during a
	 * protected request, once for each handler. Such a commit is not undone if the
	 * request fails, and its retry repeats it. Commits in foreign steps of phases are not
	 * reported.
	 * @param name the bean name of the other transaction manager
	 * @return the listener to add to it
	 */
	public TransactionExecutionListener foreignListener(String name) {
		return new TransactionExecutionListener() {

			@Override
			public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
				ThreadWatch watch = ThreadGuard.this.current.get();
				if (watch != null && ThreadGuard.this.fence.work() == null && commitFailure == null
						&& transaction.isNewTransaction() && !transaction.isReadOnly()
						&& ThreadGuard.this.reported.add(watch.handler())) {
					LogEvent.COMMITTED_ELSEWHERE.log(logger,
							"The transaction manager '" + name
									+ "' has committed, but the record is in a transaction of another one ["
									+ watch.handler() + "]");
				}
			}

		};
	}

	/**
	 * Starts to watch the current thread.
	 * @param handler the name of the handler for which it works
	 * @return the watch, to be closed by the same thread
	 */
	public ThreadWatch watch(String handler) {
		ThreadWatch watch = new ThreadWatch(this, handler, this.current.get());
		this.current.set(watch);
		return watch;
	}

	void unwatch(ThreadWatch watch, @Nullable ThreadWatch outer) {
		if (this.current.get() != watch) {
			return;
		}
		if (outer != null) {
			this.current.set(outer);
		}
		else {
			this.current.remove();
		}
	}

	PlatformTransactionManager businessTransactions() {
		return this.transactionManager.obtain();
	}

	LeaseFence fence() {
		return this.fence;
	}

	ResourceDisposer disposer() {
		return this.disposer;
	}

	/**
	 * Prevents the commit of the open transaction of the current thread, unless it
	 * belongs to another transaction manager.
	 */
	public void rollBackOnly() {
		try {
			PlatformTransactionManager business = businessTransactions();
			TransactionStatus joined = business.getTransaction(MANDATORY);
			joined.setRollbackOnly();
			business.rollback(joined);
		}
		catch (IllegalTransactionStateException ex) {
			logger.debug("The open transaction belongs to another transaction manager", ex);
		}
	}

	/**
	 * Gives up a resource that a transaction has left bound to a thread, so that the
	 * transaction is rolled back and the resource is not used again.
	 */
	@FunctionalInterface
	public interface ResourceDisposer {

		/**
		 * Gives up a resource that has been unbound from its thread. Other kinds of
		 * resources are left alone.
		 * @param resource the resource
		 */
		void dispose(ResourceHolder resource);

	}

}
