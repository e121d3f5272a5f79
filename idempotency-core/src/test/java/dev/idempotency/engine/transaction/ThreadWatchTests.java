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

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.engine.lease.LeaseFence;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.memory.InMemoryTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Transactions and bindings that a handler leaves on its thread.
 */
class ThreadWatchTests {

	private final InMemoryTransactionManager transactions = new InMemoryTransactionManager();

	private final List<Object> disposed = new ArrayList<>();

	private final ThreadGuard guard = new ThreadGuard(() -> this.transactions, new LeaseFence(), this.disposed::add);

	@BeforeEach
	void listen() {
		this.transactions.addListener(this.guard.listener());
		this.transactions.addListener(this.guard.endListener());
	}

	@AfterEach
	void nothingIsLeft() {
		OpenTransaction.restore(null);
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
	}

	private TransactionStatus begin() {
		return begin(TransactionDefinition.PROPAGATION_REQUIRED);
	}

	private TransactionStatus begin(int propagation) {
		return this.transactions.getTransaction(new DefaultTransactionDefinition(propagation));
	}

	@Test
	void aThreadOnWhichNothingIsLeftIsClean() {
		ThreadWatch watch = this.guard.watch("pay");
		this.transactions.commit(begin());
		watch.requireEnded(null);
		assertThat(watch.end()).isFalse();
	}

	@Test
	void aTransactionThatWasLeftOpenIsRolledBackAndRefused() {
		ThreadWatch watch = this.guard.watch("pay");
		TransactionStatus left = begin();
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> watch.requireEnded(null))
			.withMessageContaining("pay has begun a transaction");
		assertThat(left.isCompleted()).isTrue();
		assertThat(watch.end()).isFalse();
	}

	@Test
	void theTransactionOfTheAnswerStaysAndThoseWithinItAreRolledBack() {
		ThreadWatch watch = this.guard.watch("pay");
		TransactionStatus own = begin();
		TransactionStatus inner = begin(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		assertThat(watch.endLeaked(own)).isTrue();
		assertThat(inner.isCompleted()).isTrue();
		assertThat(own.isCompleted()).isFalse();
		this.transactions.commit(own);
		assertThat(watch.endLeaked(own)).isFalse();
		watch.end();
	}

	@Test
	void aTransactionOfTheCallerIsLeftAlone() {
		TransactionStatus outer = begin();
		ThreadWatch watch = this.guard.watch("pay");
		assertThat(watch.end()).isFalse();
		assertThat(outer.isCompleted()).isFalse();
		this.transactions.commit(outer);
	}

	@Test
	void theWatchOfAnOuterHandlerGoesOn() {
		ThreadWatch outer = this.guard.watch("outer");
		this.guard.watch("inner").end();
		TransactionStatus left = begin();
		assertThat(outer.end()).isTrue();
		assertThat(left.isCompleted()).isTrue();
	}

	@Test
	void aPausedWatchDoesNotSeeLaterTransactions() {
		ThreadWatch watch = this.guard.watch("pay");
		watch.pause();
		TransactionStatus later = begin();
		assertThat(watch.endLeaked(later)).isFalse();
		this.transactions.rollback(later);
	}

	/**
	 * A transaction of another transaction manager, whose owner cannot end it any more.
	 */
	@Test
	void resourcesAndCallbacksOfAnUnknownTransactionAreGivenUp() {
		ThreadWatch watch = this.guard.watch("pay");
		List<Integer> completions = new ArrayList<>();
		ResourceHolderSupport connection = new ResourceHolderSupport() {
		};
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		TransactionSynchronizationManager.bindResource(this, connection);
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				completions.add(status);
			}

		});
		assertThat(watch.end()).isTrue();
		assertThat(this.disposed).containsExactly(connection);
		assertThat(completions).containsExactly(TransactionSynchronization.STATUS_UNKNOWN);
	}

	@Test
	void aResourceThatWasBoundBeforeIsKept() {
		ResourceHolderSupport session = new ResourceHolderSupport() {
		};
		TransactionSynchronizationManager.bindResource(this, session);
		ThreadWatch watch = this.guard.watch("pay");
		TransactionSynchronizationManager.bindResource("left", new ResourceHolderSupport() {
		});
		assertThat(watch.end()).isTrue();
		assertThat(this.disposed).hasSize(1).doesNotContain(session);
		assertThat(TransactionSynchronizationManager.unbindResource(this)).isSameAs(session);
	}

	@Test
	void anOperationThatWasLeftOnTheThreadIsTakenFromIt() {
		ThreadWatch watch = this.guard.watch("pay");
		OpenTransaction.of("pay").enter();
		assertThat(watch.end()).isTrue();
		assertThat(OpenTransaction.current()).isNull();
	}

	@Test
	void anOperationLeavesTheThreadToTheOneAroundIt() {
		OpenTransaction outer = OpenTransaction.of("outer");
		outer.enter();
		OpenTransaction inner = OpenTransaction.of("inner");
		inner.enter();
		outer.leave();
		assertThat(OpenTransaction.current()).isSameAs(inner);
		inner.leave();
		assertThat(OpenTransaction.current()).isSameAs(outer);
	}

	@Test
	void theTransactionIsOverInItsCallbacksAndNotBefore() {
		List<Boolean> over = new ArrayList<>();
		new TransactionTemplate(this.transactions).executeWithoutResult((status) -> {
			over.add(this.guard.isTransactionOver());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					over.add(ThreadWatchTests.this.guard.isTransactionOver());
					// A transaction of its own is not over.
					TransactionTemplate own = new TransactionTemplate(ThreadWatchTests.this.transactions);
					own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
					own.executeWithoutResult((inner) -> over.add(ThreadWatchTests.this.guard.isTransactionOver()));
					over.add(ThreadWatchTests.this.guard.isTransactionOver());
				}

			});
		});
		over.add(this.guard.isTransactionOver());
		assertThat(over).containsExactly(false, true, false, true, false);
	}

	@Test
	void aRolledBackTransactionIsOverInItsCallbacks() {
		List<Boolean> over = new ArrayList<>();
		TransactionStatus transaction = begin();
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				over.add(ThreadWatchTests.this.guard.isTransactionOver());
			}

		});
		this.transactions.rollback(transaction);
		over.add(this.guard.isTransactionOver());
		assertThat(over).containsExactly(true, false);
	}

	@Test
	void theOpenTransactionOfTheBusinessRowsCanBePreventedFromCommitting() {
		TransactionStatus transaction = begin();
		this.guard.rollBackOnly();
		assertThat(transaction.isRollbackOnly()).isTrue();
		this.transactions.rollback(transaction);
		this.guard.rollBackOnly();
	}

	@Test
	void aCommitOfAnotherTransactionManagerIsReportedOnceForAHandler() {
		InMemoryTransactionManager other = new InMemoryTransactionManager();
		other.addListener(this.guard.foreignListener("other"));
		ThreadWatch watch = this.guard.watch("pay");
		new TransactionTemplate(other).executeWithoutResult((status) -> {
		});
		assertThat(watch.end()).isFalse();
	}

}
