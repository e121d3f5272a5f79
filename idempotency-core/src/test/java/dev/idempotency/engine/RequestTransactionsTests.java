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

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.engine.RequestTransactions.LeakDetector;
import dev.idempotency.engine.RequestTransactions.OpenTransaction;
import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.memory.InMemoryTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Transactions and bindings that a handler leaves on its thread.
 */
@ExtendWith(OutputCaptureExtension.class)
class RequestTransactionsTests {

	private final InMemoryTransactionManager manager = new InMemoryTransactionManager();

	private final List<Object> disposed = new ArrayList<>();

	private final RequestTransactions transactions = new RequestTransactions(() -> this.manager, this.disposed::add);

	@BeforeEach
	void listen() {
		this.manager.addListener(this.transactions.listener());
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
		return this.manager.getTransaction(new DefaultTransactionDefinition(propagation));
	}

	@Test
	void aThreadOnWhichNothingIsLeftIsClean() {
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		this.manager.commit(begin());
		leaks.requireEnded(null);
		assertThat(leaks.end()).isFalse();
	}

	@Test
	void aTransactionThatWasLeftOpenIsRolledBackAndRefused() {
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		TransactionStatus left = begin();
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> leaks.requireEnded(null))
			.withMessageContaining("pay has begun a transaction");
		assertThat(left.isCompleted()).isTrue();
		assertThat(leaks.end()).isFalse();
	}

	@Test
	void theTransactionOfTheAnswerStaysAndThoseWithinItAreRolledBack() {
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		TransactionStatus own = begin();
		TransactionStatus inner = begin(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		assertThat(leaks.endLeaked(own)).isTrue();
		assertThat(inner.isCompleted()).isTrue();
		assertThat(own.isCompleted()).isFalse();
		this.manager.commit(own);
		assertThat(leaks.endLeaked(own)).isFalse();
		leaks.end();
	}

	@Test
	void aTransactionOfTheCallerIsLeftAlone() {
		TransactionStatus outer = begin();
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		assertThat(leaks.end()).isFalse();
		assertThat(outer.isCompleted()).isFalse();
		this.manager.commit(outer);
	}

	@Test
	void theWatchOfAnOuterHandlerGoesOn() {
		LeakDetector outer = this.transactions.detectLeaks("outer");
		this.transactions.detectLeaks("inner").end();
		TransactionStatus left = begin();
		assertThat(outer.end()).isTrue();
		assertThat(left.isCompleted()).isTrue();
	}

	@Test
	void aPausedWatchDoesNotSeeLaterTransactions() {
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		leaks.pause();
		TransactionStatus later = begin();
		assertThat(leaks.endLeaked(later)).isFalse();
		this.manager.rollback(later);
	}

	/**
	 * A transaction of another transaction manager, whose owner cannot end it any more.
	 */
	@Test
	void resourcesAndCallbacksOfAnUnknownTransactionAreGivenUp() {
		LeakDetector leaks = this.transactions.detectLeaks("pay");
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
		assertThat(leaks.end()).isTrue();
		assertThat(this.disposed).containsExactly(connection);
		assertThat(completions).containsExactly(TransactionSynchronization.STATUS_UNKNOWN);
	}

	@Test
	void aResourceThatWasBoundBeforeIsKept() {
		ResourceHolderSupport session = new ResourceHolderSupport() {
		};
		TransactionSynchronizationManager.bindResource(this, session);
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		TransactionSynchronizationManager.bindResource("left", new ResourceHolderSupport() {
		});
		assertThat(leaks.end()).isTrue();
		assertThat(this.disposed).hasSize(1).doesNotContain(session);
		assertThat(TransactionSynchronizationManager.unbindResource(this)).isSameAs(session);
	}

	@Test
	void anOperationThatWasLeftOnTheThreadIsTakenFromIt() {
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		new OpenTransaction("pay").enter();
		assertThat(leaks.end()).isTrue();
		assertThat(OpenTransaction.current()).isNull();
	}

	@Test
	void anOperationLeavesTheThreadToTheOneAroundIt() {
		OpenTransaction outer = new OpenTransaction("outer");
		outer.enter();
		OpenTransaction inner = new OpenTransaction("inner");
		inner.enter();
		outer.leave();
		assertThat(OpenTransaction.current()).isSameAs(inner);
		inner.leave();
		assertThat(OpenTransaction.current()).isSameAs(outer);
	}

	@Test
	void theTransactionIsOverInItsCallbacksAndNotBefore() {
		List<Boolean> over = new ArrayList<>();
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			over.add(this.transactions.isOver());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					over.add(RequestTransactionsTests.this.transactions.isOver());
					// A transaction of its own is not over.
					TransactionTemplate own = new TransactionTemplate(RequestTransactionsTests.this.manager);
					own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
					own.executeWithoutResult((inner) -> over.add(RequestTransactionsTests.this.transactions.isOver()));
					over.add(RequestTransactionsTests.this.transactions.isOver());
				}

			});
		});
		over.add(this.transactions.isOver());
		assertThat(over).containsExactly(false, true, false, true, false);
	}

	@Test
	void aRolledBackTransactionIsOverInItsCallbacks() {
		List<Boolean> over = new ArrayList<>();
		TransactionStatus transaction = begin();
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				over.add(RequestTransactionsTests.this.transactions.isOver());
			}

		});
		this.manager.rollback(transaction);
		over.add(this.transactions.isOver());
		assertThat(over).containsExactly(true, false);
	}

	@Test
	void aTransactionThatWasOpenBeforeTheListenerIsOverInItsCallbacks() {
		List<Boolean> over = new ArrayList<>();
		InMemoryTransactionManager late = new InMemoryTransactionManager();
		TransactionStatus transaction = late.getTransaction(null);
		late.addListener(this.transactions.listener());
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				over.add(RequestTransactionsTests.this.transactions.isOver());
			}

		});
		late.commit(transaction);
		over.add(this.transactions.isOver());
		assertThat(over).containsExactly(true, false);
	}

	@Test
	void aCallersTransactionStaysOpenWhenThatOfTheRequestIsRolledBack() {
		TransactionStatus outer = begin();
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		TransactionStatus left = begin(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		assertThat(leaks.end()).isTrue();
		assertThat(left.isCompleted()).isTrue();
		assertThat(outer.isCompleted()).isFalse();
		this.manager.commit(outer);
	}

	@Test
	void theOpenTransactionOfTheBusinessRowsCanBePreventedFromCommitting() {
		TransactionStatus transaction = begin();
		this.transactions.rollBackOnly();
		assertThat(transaction.isRollbackOnly()).isTrue();
		this.manager.rollback(transaction);
		this.transactions.rollBackOnly();
	}

	private void commitElsewhere(boolean readOnly) {
		InMemoryTransactionManager other = new InMemoryTransactionManager();
		other.addListener(this.transactions.listenerOfOther("other"));
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
		definition.setReadOnly(readOnly);
		other.commit(other.getTransaction(definition));
	}

	@Test
	void aCommitOfAnotherTransactionManagerIsReportedOnceForAHandler(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			LeakDetector leaks = this.transactions.detectLeaks("pay");
			commitElsewhere(false);
			assertThat(leaks.end()).isFalse();
		}
		LeakDetector another = this.transactions.detectLeaks("refund");
		commitElsewhere(false);
		another.end();
		assertThat(output.getAll().lines().filter((line) -> line.contains("'other' has committed"))).hasSize(2)
			.satisfiesExactly((line) -> assertThat(line).endsWith("[pay]"),
					(line) -> assertThat(line).endsWith("[refund]"));
	}

	@Test
	void aCommitOfAnotherTransactionManagerThatLeavesNothingBehindIsNotReported(CapturedOutput output) {
		commitElsewhere(false);
		LeakDetector leaks = this.transactions.detectLeaks("pay");
		commitElsewhere(true);
		InMemoryTransactionManager other = new InMemoryTransactionManager();
		other.addListener(this.transactions.listenerOfOther("other"));
		other.rollback(other.getTransaction(null));
		leaks.end();
		assertThat(output).doesNotContain("has committed");
	}

	@Test
	void theKeyForOtherSystemsGoesAlongToOtherThreads() {
		OutgoingKey key = OutgoingKey.of("key");
		List<OutgoingKey> seen = new ArrayList<>();
		Runnable[] task = new Runnable[1];
		key.run(() -> task[0] = this.transactions.decorate(() -> seen.add(OutgoingKey.current())));
		assertThat(OutgoingKey.current()).isNull();
		task[0].run();
		assertThat(seen).containsExactly(key);
		assertThat(OutgoingKey.current()).isNull();
	}

}
