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
package dev.idempotency.engine;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
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
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * The open transactions of the business rows, as their transaction manager reports them,
 * and the requests that they belong to:
 * <ol>
 * <li>A transaction that a request has begun and not ended is rolled back by the
 * {@link LeakDetector} of its thread.</li>
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

	private final Consumer<ResourceHolder> disposer;

	private final TransactionExecutionListener listener = new Listener();

	private final ThreadLocal<@Nullable Begun> begun = new ThreadLocal<>();

	private final ThreadLocal<@Nullable LeakDetector> detector = new ThreadLocal<>();

	private final ThreadLocal<@Nullable FencedRun> run = new ThreadLocal<>();

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	/**
	 * Creates an instance.
	 * @param transactionManager supplies the transaction manager of the business rows
	 * when it is needed
	 * @param disposer gives up a resource that a transaction has left on its thread and
	 * that was unbound, so that the transaction is rolled back and the resource is not
	 * used again; leaves other kinds of resources alone
	 */
	public RequestTransactions(Supplier<PlatformTransactionManager> transactionManager,
			Consumer<ResourceHolder> disposer) {
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
				LeakDetector current = RequestTransactions.this.detector.get();
				if (current != null && work() == null && commitFailure == null && transaction.isNewTransaction()
						&& !transaction.isReadOnly() && RequestTransactions.this.reported.add(current.handler)) {
					LogEvent.COMMITTED_ELSEWHERE.log(logger,
							"The transaction manager '" + name
									+ "' has committed, but the record is in a transaction of another one ["
									+ current.handler + "]");
				}
			}

		};
	}

	/**
	 * Detects the transactions that are left open by the current thread from now on.
	 * @param handler the name of the handler for which the thread works
	 * @return the detector, to be ended by the same thread
	 */
	public LeakDetector detectLeaks(String handler) {
		LeakDetector started = new LeakDetector(handler);
		this.detector.set(started);
		return started;
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
	@Nullable FencedRun run() {
		return this.run.get();
	}

	/**
	 * Returns the operation whose lease fences the transactions of the current thread.
	 * @return its name, or {@code null} if no lease does
	 */
	public @Nullable String leasedOperation() {
		FencedRun current = this.run.get();
		return (current != null) ? current.operation() : null;
	}

	/**
	 * Returns the phases of the run of the current thread.
	 * @return the phases, or {@code null} if there is no run, or it has none
	 */
	@Nullable PhasedWork work() {
		FencedRun current = this.run.get();
		return (current != null) ? current.work() : null;
	}

	/**
	 * Makes the transactions of the current thread belong to a run, or to none.
	 */
	void enter(@Nullable FencedRun entered) {
		set(this.run, entered);
	}

	/**
	 * Makes the transactions of the current thread belong to the enclosing run, if they
	 * belong to this run.
	 */
	void leave(FencedRun left) {
		if (this.run.get() == left) {
			set(this.run, left.outer());
		}
	}

	/**
	 * Makes transactions that callbacks of the current transaction begin belong to a run
	 * whose lease ends with this commit. Before the commit they could belong to a former
	 * owner, so they are fenced; after it they belong to no run.
	 */
	void enterUntilCommitted(FencedRun entered) {
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

		private Begun push(TransactionExecution transaction, @Nullable LeakDetector under) {
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

		private final @Nullable LeakDetector detector;

		private final @Nullable Begun earlier;

		private boolean over;

		Begun(TransactionExecution transaction, @Nullable LeakDetector detector, @Nullable Begun earlier) {
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

	/**
	 * A detector of what the work for a request leaves on its thread: no transaction,
	 * binding or run outlives the request.
	 * <ol>
	 * <li>A transaction of the business rows that was begun, has not ended and will not
	 * hold the response is rolled back by its manager: this unbinds its resources,
	 * returns its connection clean, and resumes the suspended transaction.</li>
	 * <li>A transaction of another manager is detected by the state of the thread. Its
	 * owner cannot end it, so its callbacks are completed with an unknown status, and its
	 * resources are given up: the database rolls back, and no pool hands them out
	 * again.</li>
	 * </ol>
	 */
	public final class LeakDetector {

		private final String handler;

		private final @Nullable LeakDetector outer;

		private final boolean active = TransactionSynchronizationManager.isActualTransactionActive();

		private final boolean synchronizing = TransactionSynchronizationManager.isSynchronizationActive();

		/**
		 * The keys of the resources that were bound before: with an open session in view
		 * there is one.
		 */
		private final Set<Object> resources = Set.copyOf(TransactionSynchronizationManager.getResourceMap().keySet());

		private final @Nullable OpenTransaction open = OpenTransaction.CURRENT.get();

		private final @Nullable FencedRun enclosing = RequestTransactions.this.run.get();

		private LeakDetector(String handler) {
			this.handler = handler;
			this.outer = RequestTransactions.this.detector.get();
		}

		/**
		 * Rolls back all transactions that were begun and not ended, except one. Logs an
		 * error if there were any.
		 * @param own the transaction that will hold the response, {@code null} if none
		 * does
		 * @return whether there were any
		 */
		public boolean endLeaked(@Nullable TransactionStatus own) {
			boolean leaked = false;
			for (TransactionStatus left = left(own); left != null; left = left(own)) {
				leaked = true;
				rollBack(left);
			}
			if (own == null) {
				leaked |= restoreThread();
			}
			if (leaked) {
				LogEvent.TRANSACTION_LEFT_OPEN.log(logger,
						"A transaction was left open and was rolled back [" + this.handler + "]");
			}
			return leaked;
		}

		/**
		 * Returns the innermost open transaction that was begun under this detector.
		 */
		private @Nullable TransactionStatus left(@Nullable TransactionStatus own) {
			Begun innermost = current();
			return (innermost != null && innermost.detector == this && innermost.transaction != own
					&& innermost.transaction instanceof TransactionStatus status) ? status : null;
		}

		private void rollBack(TransactionStatus transaction) {
			try {
				RequestTransactions.this.transactionManager.obtain().rollback(transaction);
			}
			catch (RuntimeException ex) {
				// Its connection is closed then.
				LogEvent.ROLLBACK_FAILED.log(logger, "Rollback failed [" + this.handler + "]", ex);
			}
			finally {
				forget(transaction);
			}
		}

		/**
		 * Restores the state of the thread in Spring's transactions.
		 * @return whether anything was left
		 */
		private boolean restoreThread() {
			boolean synchronizationLeft = !this.synchronizing
					&& TransactionSynchronizationManager.isSynchronizationActive();
			boolean left = synchronizationLeft
					|| (!this.active && TransactionSynchronizationManager.isActualTransactionActive());
			if (synchronizationLeft) {
				disposeOfResources();
				TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_UNKNOWN);
				TransactionSynchronizationManager.clear();
			}
			if (left) {
				TransactionSynchronizationManager.setActualTransactionActive(this.active);
			}
			// Resources bound since within a transaction that was already open end with
			// it.
			return (!this.synchronizing && disposeOfResources()) || left;
		}

		private boolean disposeOfResources() {
			Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
			if (bound.size() <= this.resources.size()) {
				return false;
			}
			boolean found = false;
			for (Map.Entry<Object, Object> resource : Map.copyOf(bound).entrySet()) {
				if (resource.getValue() instanceof ResourceHolder holder
						&& !this.resources.contains(resource.getKey())) {
					TransactionSynchronizationManager.unbindResourceIfPossible(resource.getKey());
					RequestTransactions.this.disposer.accept(holder);
					found = true;
				}
			}
			return found;
		}

		/**
		 * Rolls back as {@link #endLeaked} does, and fails if there were any such
		 * transactions: their work is not part of the response.
		 * @param own the transaction that will hold the response, {@code null} if none
		 * does
		 * @throws InvalidIdempotentException if a transaction was left open
		 */
		public void requireEnded(@Nullable TransactionStatus own) {
			if (endLeaked(own)) {
				throw new InvalidIdempotentException(this.handler + " has begun a transaction and has not ended it.",
						"Use a TransactionTemplate or @Transactional, which end their transactions. "
								+ "The transaction was rolled back.");
			}
		}

		/**
		 * Stops while the request is still at work on this thread.
		 */
		public void pause() {
			if (RequestTransactions.this.detector.get() == this) {
				set(RequestTransactions.this.detector, this.outer);
			}
		}

		/**
		 * Stops. Nothing of the request remains on the thread afterwards.
		 * @return whether the thread had to be cleaned
		 */
		public boolean end() {
			boolean leaked = endLeaked(null);
			pause();
			return restoreBindings() || leaked;
		}

		private boolean restoreBindings() {
			OpenTransaction left = OpenTransaction.CURRENT.get();
			FencedRun leftRun = RequestTransactions.this.run.get();
			if ((left == null || left == this.open) && (leftRun == null || leftRun == this.enclosing)) {
				return false;
			}
			OpenTransaction.restore(this.open);
			enter(this.enclosing);
			LogEvent.TRANSACTION_LEFT_OPEN.log(logger,
					"The thread still belonged to a request that is over [" + this.handler + "]");
			return true;
		}

	}

	/**
	 * The transaction of the current thread that holds a response. Calls of other systems
	 * within it are reported: their effects are not rolled back, and they hold its
	 * connection.
	 */
	public static final class OpenTransaction {

		private static final ThreadLocal<@Nullable OpenTransaction> CURRENT = new ThreadLocal<>();

		private final String operation;

		/**
		 * The enclosing transaction on the same thread.
		 */
		private final @Nullable OpenTransaction outer = CURRENT.get();

		OpenTransaction(String operation) {
			this.operation = operation;
		}

		/**
		 * Returns the innermost transaction of the current thread.
		 * @return the transaction, or {@code null} if the library has none open
		 */
		public static @Nullable OpenTransaction current() {
			return CURRENT.get();
		}

		/**
		 * Returns the name of its operation.
		 */
		public String operation() {
			return this.operation;
		}

		void enter() {
			CURRENT.set(this);
		}

		/**
		 * Restores the previous state of the thread, if this is the current one.
		 */
		void leave() {
			if (CURRENT.get() == this) {
				restore(this.outer);
			}
		}

		/**
		 * Replaces the transaction of the current thread.
		 */
		static void restore(@Nullable OpenTransaction open) {
			if (open != null) {
				CURRENT.set(open);
			}
			else {
				CURRENT.remove();
			}
		}

	}

	/**
	 * Records the progress of a commit. After an exception of an earlier callback nothing
	 * was sent to the database; an exception of a later callback changes nothing. The
	 * watch is registered after the callbacks of the application and before this
	 * library's, which may send the commit.
	 */
	static final class CommitWatch implements TransactionSynchronization {

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
		 * @param request the request that runs in it
		 */
		public void commit(PlatformTransactionManager transactionManager, TransactionStatus transaction,
				ClaimRequest request) {
			try {
				transactionManager.commit(transaction);
			}
			catch (RuntimeException | Error ex) {
				if (!this.committed) {
					throw ex;
				}
				LogEvent.CALLBACK_FAILED.log(logger,
						"A callback after the commit failed [" + request.operation().name() + "]", ex);
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

}
