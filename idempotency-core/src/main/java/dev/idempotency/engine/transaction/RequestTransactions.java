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

import org.springframework.core.PriorityOrdered;
import org.springframework.core.task.TaskDecorator;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.engine.lease.ResumableWork;
import dev.idempotency.logging.LogEvent;

/**
 * The open transactions of the business rows, as their transaction manager reports them,
 * and the requests that they belong to:
 * <ol>
 * <li>A transaction that a request has begun and not ended is rolled back by the
 * {@link TransactionLeakDetector} of its thread.</li>
 * <li>A transaction that ends is over while its callbacks run: Spring still considers it
 * active, and lets work participate that nothing commits.</li>
 * <li>A transaction of a leased run, whoever has begun it, confirms the lease before its
 * commit ({@link FencedRun#fence()}).</li>
 * </ol>
 * As a decorator it passes the run of a thread to the threads of an executor, with the
 * key for calls of other systems.
 */
public final class RequestTransactions implements TaskDecorator {

	private static final Log logger = LogFactory.getLog(RequestTransactions.class);

	private static final TransactionDefinition MANDATORY = new DefaultTransactionDefinition(
			TransactionDefinition.PROPAGATION_MANDATORY);

	private final SingletonSupplier<PlatformTransactionManager> transactionManager;

	private final ResourceDisposer disposer;

	private final TransactionExecutionListener listener = new Listener();

	private final ThreadLocal<@Nullable Begun> begun = new ThreadLocal<>();

	private final ThreadLocal<@Nullable TransactionLeakDetector> detector = new ThreadLocal<>();

	private final ThreadLocal<@Nullable FencedRun> run = new ThreadLocal<>();

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	/**
	 * Creates an instance.
	 * @param transactionManager supplies the transaction manager of the business rows
	 * when it is needed
	 * @param disposer gives up a resource that a transaction has left on the thread
	 */
	public RequestTransactions(Supplier<PlatformTransactionManager> transactionManager, ResourceDisposer disposer) {
		this.transactionManager = SingletonSupplier.of(transactionManager);
		this.disposer = disposer;
	}

	/**
	 * Returns the listener to add to the transaction manager of the business rows. This
	 * object is a bean, and as a listener Spring Boot would add it to all transaction
	 * managers.
	 * @return the listener, the same each time
	 */
	public TransactionExecutionListener listener() {
		return this.listener;
	}

	/**
	 * Returns a listener that reports commits of another transaction manager during a
	 * protected request, once for each handler. Such a commit is not undone if the
	 * request fails, and its retry repeats it. Commits in foreign steps of phases are not
	 * reported.
	 * @param name the bean name of the other transaction manager
	 * @return the listener to add to it
	 */
	public TransactionExecutionListener listenerOfOther(String name) {
		return new TransactionExecutionListener() {

			@Override
			public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
				TransactionLeakDetector current = RequestTransactions.this.detector.get();
				if (current != null && work() == null && commitFailure == null && transaction.isNewTransaction()
						&& !transaction.isReadOnly() && RequestTransactions.this.reported.add(current.handler())) {
					LogEvent.COMMITTED_ELSEWHERE.log(logger,
							"The transaction manager '" + name
									+ "' has committed, but the record is in a transaction of another one ["
									+ current.handler() + "]");
				}
			}

		};
	}

	/**
	 * Detects the transactions that are left open by the current thread from now on.
	 * @param handler the name of the handler for which the thread works
	 * @return the detector, to be ended by the same thread
	 */
	public TransactionLeakDetector detectLeaks(String handler) {
		TransactionLeakDetector started = new TransactionLeakDetector(this, handler, this.detector.get());
		this.detector.set(started);
		return started;
	}

	void remove(TransactionLeakDetector ended, @Nullable TransactionLeakDetector outer) {
		if (this.detector.get() == ended) {
			set(this.detector, outer);
		}
	}

	/**
	 * Returns the innermost open transaction of the current thread, if it was begun under
	 * a detector.
	 */
	@Nullable TransactionStatus innermost(TransactionLeakDetector under) {
		Begun current = current();
		return (current != null && current.detector == under && current.transaction instanceof TransactionStatus status)
				? status : null;
	}

	/**
	 * Rolls back the innermost open transaction of the current thread.
	 * @throws RuntimeException if that fails; its connection is closed then
	 */
	void rollBack(TransactionStatus transaction) {
		try {
			this.transactionManager.obtain().rollback(transaction);
		}
		finally {
			forget(transaction);
		}
	}

	ResourceDisposer disposer() {
		return this.disposer;
	}

	/**
	 * Returns whether the transaction of the current thread has already ended and its
	 * callbacks are running. Work that participates in it is not committed.
	 * @return {@code false} also without a transaction
	 */
	public boolean isOver() {
		Begun current = current();
		return current != null && current.over && TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * Prevents the commit of the open transaction of the current thread, unless it
	 * belongs to another transaction manager.
	 */
	public void rollBackOnly() {
		try {
			PlatformTransactionManager business = this.transactionManager.obtain();
			TransactionStatus joined = business.getTransaction(MANDATORY);
			joined.setRollbackOnly();
			business.rollback(joined);
		}
		catch (IllegalTransactionStateException ex) {
			logger.debug("The open transaction belongs to another transaction manager", ex);
		}
	}

	/**
	 * Returns the leased run to which the transactions of the current thread belong.
	 * @return the run, or {@code null} if they belong to none
	 */
	public @Nullable FencedRun run() {
		return this.run.get();
	}

	/**
	 * Returns the resumable work of the run of the current thread.
	 * @return the work, or {@code null} if there is no run, or none that resumes
	 */
	public @Nullable ResumableWork work() {
		FencedRun current = this.run.get();
		return (current != null) ? current.work() : null;
	}

	/**
	 * Makes the transactions of the current thread belong to a run, or to none.
	 */
	public void enter(@Nullable FencedRun entered) {
		set(this.run, entered);
	}

	/**
	 * Makes the transactions of the current thread belong to the enclosing run, if they
	 * belong to this run.
	 */
	public void leave(FencedRun left) {
		if (this.run.get() == left) {
			set(this.run, left.outer());
		}
	}

	/**
	 * Makes transactions that callbacks of the current transaction begin belong to a run
	 * whose lease ends with this commit. Before the commit they could belong to a former
	 * owner, so they are fenced; after it they belong to no run.
	 */
	public void enterUntilCommitted(FencedRun entered) {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			enter(entered);
			TransactionSynchronizationManager.registerSynchronization(new FirstAfterCommit(() -> leave(entered)));
		}
	}

	@Override
	public Runnable decorate(Runnable task) {
		OutgoingKey key = OutgoingKey.current();
		Runnable keyed = (key != null) ? () -> key.run(task) : task;
		FencedRun current = this.run.get();
		if (current == null) {
			return keyed;
		}
		return () -> {
			FencedRun before = this.run.get();
			enter(current);
			try {
				keyed.run();
			}
			finally {
				enter(before);
			}
		};
	}

	/**
	 * Returns the innermost open transaction. One that is completed has ended without a
	 * report.
	 */
	private @Nullable Begun current() {
		Begun last = this.begun.get();
		Begun current = last;
		while (current != null && current.transaction.isCompleted()) {
			current = current.earlier;
		}
		if (current != last) {
			set(this.begun, current);
		}
		return current;
	}

	private void forget(TransactionExecution ended) {
		Begun current = current();
		if (current != null && current.transaction == ended) {
			set(this.begun, current.earlier);
		}
	}

	private static <T> void set(ThreadLocal<@Nullable T> local, @Nullable T value) {
		if (value != null) {
			local.set(value);
		}
		else {
			local.remove();
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

	/**
	 * The listener of the transaction manager. Transactions that participate in others
	 * neither begin nor end.
	 */
	private final class Listener implements TransactionExecutionListener {

		/**
		 * Called before the transaction takes a connection, while the transaction manager
		 * can still resume the outer one.
		 */
		@Override
		public void beforeBegin(TransactionExecution transaction) {
			FencedRun current = RequestTransactions.this.run.get();
			if (current != null && transaction.isNewTransaction() && !transaction.isReadOnly()) {
				current.requireUnlocked(transaction);
			}
		}

		@Override
		public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
			if (beginFailure != null || !transaction.isNewTransaction()) {
				return;
			}
			push(transaction, RequestTransactions.this.detector.get());
			FencedRun current = RequestTransactions.this.run.get();
			if (current != null && !transaction.isReadOnly()
					&& TransactionSynchronizationManager.isSynchronizationActive()) {
				current.fence();
			}
		}

		private Begun push(TransactionExecution transaction, @Nullable TransactionLeakDetector under) {
			Begun pushed = new Begun(transaction, under, current());
			RequestTransactions.this.begun.set(pushed);
			return pushed;
		}

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			ending(transaction);
		}

		@Override
		public void beforeRollback(TransactionExecution transaction) {
			ending(transaction);
		}

		/**
		 * The begin of a transaction may be unknown: it was open when this listener was
		 * added.
		 */
		private void ending(TransactionExecution transaction) {
			if (transaction.isNewTransaction()) {
				Begun current = current();
				if (current == null || current.transaction != transaction) {
					current = push(transaction, null);
				}
				current.over = true;
			}
		}

		@Override
		public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
			forget(transaction);
		}

		@Override
		public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
			forget(transaction);
		}

	}

	/**
	 * A transaction that has begun and not ended.
	 */
	private static final class Begun {

		private final TransactionExecution transaction;

		private final @Nullable TransactionLeakDetector detector;

		private final @Nullable Begun earlier;

		private boolean over;

		Begun(TransactionExecution transaction, @Nullable TransactionLeakDetector detector, @Nullable Begun earlier) {
			this.transaction = transaction;
			this.detector = detector;
			this.earlier = earlier;
		}

	}

	/**
	 * A callback for the end of a commit that runs before all other such callbacks.
	 *
	 * @param ended runs once or twice when the commit has ended
	 */
	private record FirstAfterCommit(Runnable ended) implements TransactionSynchronization, PriorityOrdered {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

		@Override
		public void afterCommit() {
			this.ended.run();
		}

		@Override
		public void afterCompletion(int status) {
			this.ended.run();
		}

	}

}
