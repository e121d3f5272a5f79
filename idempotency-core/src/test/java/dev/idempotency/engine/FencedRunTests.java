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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseStore.Resumption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The right of the transactions of a leased run to commit, and the end of the run.
 */
class FencedRunTests {

	private final TestEngine test = new TestEngine();

	private final Lease lease = this.test.lease(1);

	private final FencedRun run = run(this.lease, false, null);

	private FencedRun run(Lease held, boolean counted, FencedRun outer) {
		return new FencedRun(this.test.store, this.test.keeper, held, "pay", counted, outer);
	}

	private FinishedRecord record() {
		return new FinishedRecord(this.lease.identity(), "pay", new byte[32], new EncodedResponse(200, null),
				Duration.ofHours(1), this.lease.fence());
	}

	private boolean mayCommit(FencedRun checked) {
		return this.test.inTransaction(checked::mayCommit);
	}

	private ClaimResult probe() {
		return this.test.memory.probe(this.lease.identity());
	}

	@Test
	void aTransactionOfTheOwnerMayCommit() {
		assertThat(mayCommit(this.run)).isTrue();
	}

	@Test
	void aTransactionOfAFormerOwnerMayNot() {
		this.test.takeOver(this.lease);
		assertThat(mayCommit(this.run)).isFalse();
		assertThat(this.run.isHeld()).isFalse();
	}

	@Test
	void aTransactionAfterTheAnswerMayCommit() {
		this.run.finish(record());
		this.run.finished();
		assertThat(mayCommit(this.run)).isTrue();
	}

	@Test
	void aTransactionWaitsForAnAnswerThatIsBeingStored() {
		this.run.finish(record());
		CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> mayCommit(this.run));
		this.run.finished();
		assertThat(other).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
	}

	@Test
	void aTransactionOfAnInnerRunNeedsTheOuterLeaseToo() {
		FencedRun inner = run(this.test.lease(2), false, this.run);
		assertThat(mayCommit(inner)).isTrue();
		this.run.release(Resumption.ANYBODY);
		assertThat(mayCommit(inner)).isFalse();
	}

	@Test
	void noTransactionMayCommitWhileTheWorkIsInDoubt() {
		boolean[] doubt = { true };
		phases(() -> doubt[0]);
		assertThat(mayCommit(this.run)).isFalse();
		doubt[0] = false;
		assertThat(mayCommit(this.run)).isTrue();
	}

	@Test
	void aRunThatHasCommittedEffectsIsNotRepeated() {
		mayCommit(this.run);
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		assertThat(this.test.tryLease(1)).isNotInstanceOf(ClaimResult.Leased.class);
	}

	@Test
	void aRunWhoseWorkCanBeResumedIsRepeatedAfterItsEffects() {
		phases(() -> false);
		mayCommit(this.run);
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		assertThat(this.test.tryLease(1)).isInstanceOf(ClaimResult.Leased.class);
	}

	@Test
	void theReleaseOfARunFreesItsKey() {
		this.run.release(Resumption.ANYBODY);
		assertThat(probe()).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void theReleaseOfARunWithProgressKeepsItsClaim() {
		this.run.keepProgress();
		this.run.failed(new IllegalStateException("later"));
		this.run.release(Resumption.ANYBODY);
		assertThat(this.run.keepsProgress()).isTrue();
		assertThat(probe()).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	void theReleaseOfTheCompletersRunKeepsItsClaim() {
		run(this.lease, true, null).release(Resumption.ANYBODY);
		assertThat(probe()).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	void theReleaseOfARunWithACommitInDoubtLeavesTheDecisionToTheDatabase() {
		run(this.test.lease(2), false, this.run).doubt();
		this.run.release(Resumption.ANYBODY);
		assertThat(probe()).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	void anotherTransactionWouldWaitForOneThatHoldsTheLeaseUntilItIsAnswered() {
		FencedRun inner = run(this.test.lease(2), false, this.run);
		this.test.inTransaction(() -> {
			isolate(TransactionDefinition.ISOLATION_REPEATABLE_READ);
			this.run.holdUntilAnswered();
			assertThat(this.run.isLocked()).isTrue();
			assertThat(inner.isLocked()).isTrue();
			return true;
		});
		this.run.finished();
		assertThat(this.run.isLocked()).isFalse();
	}

	private static void isolate(int isolation) {
		TransactionSynchronizationManager.setCurrentTransactionIsolationLevel(isolation);
	}

	@Test
	@Tag("X38")
	void aTransactionHoldsTheLeaseAboveReadCommittedOnly() {
		this.test.inTransaction(() -> {
			isolate(TransactionDefinition.ISOLATION_SERIALIZABLE);
			assertThat(this.run.holdUntilCommitted()).isTrue();
			assertThat(this.run.isLocked()).isTrue();
			this.run.unlock();
			assertThat(this.run.isLocked()).isFalse();
			isolate(TransactionDefinition.ISOLATION_READ_COMMITTED);
			assertThat(this.run.holdUntilCommitted()).isFalse();
			assertThat(this.run.isLocked()).isFalse();
			return true;
		});
	}

	@Test
	void aSavepointWithinATransactionThatHoldsTheLeaseNeedsNoLease() {
		this.test.watched.enter(this.run);
		this.test.inTransaction(() -> {
			isolate(TransactionDefinition.ISOLATION_REPEATABLE_READ);
			this.run.holdUntilAnswered();
			Object open = new Object();
			TransactionExecutionListener listener = this.test.watched.listener();
			listener.beforeBegin(new DefaultTransactionStatus("nested", open, false, false, true, false, false, null));
			assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> listener
				.beforeBegin(new DefaultTransactionStatus("new", open, true, true, false, false, false, null)));
			return true;
		});
		this.test.watched.leave(this.run);
	}

	@Test
	void aLostLeaseCannotBeHeld() {
		this.test.takeOver(this.lease);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.test.inTransaction(() -> {
			this.run.hold(Isolation.DEFAULT);
			return true;
		}));
		assertThat(this.run.isLocked()).isFalse();
	}

	@Test
	void theFenceChecksTheTransactionsOfARunAndNoOthers() {
		this.test.watched.enter(this.run);
		this.test.takeOver(this.lease);
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> this.test.inTransaction(() -> "the handler's"));
		this.test.watched.leave(this.run);
		assertThat(this.test.inTransaction(() -> "another")).isEqualTo("another");
	}

	@Test
	void theFenceGoesAlongToOtherThreads() {
		this.test.watched.enter(this.run);
		CompletableFuture<FencedRun> seen = new CompletableFuture<>();
		Runnable task = this.test.watched.decorate(() -> seen.complete(this.test.watched.run()));
		this.test.watched.leave(this.run);
		CompletableFuture.runAsync(task);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(seen::isDone);
		assertThat(seen.join()).isSameAs(this.run);
		assertThat(this.test.watched.run()).isNull();
	}

	@Test
	void aThreadThatDoesTheWorkOfARunReturnsToItsOwn() {
		this.test.watched.enter(this.run);
		Runnable task = this.test.watched.decorate(() -> {
		});
		FencedRun inner = run(this.test.lease(2), false, this.run);
		this.test.watched.enter(inner);
		task.run();
		assertThat(this.test.watched.run()).isSameAs(inner);
		this.test.watched.leave(inner);
		assertThat(this.test.watched.run()).isSameAs(this.run);
		this.test.watched.leave(this.run);
		assertThat(this.test.watched.run()).isNull();
	}

	@Test
	void callbacksOfTheCommitThatEndsALeaseBelongToNoRun() {
		List<FencedRun> seen = new ArrayList<>();
		this.test.inTransaction(() -> {
			TransactionSynchronizationManager.registerSynchronization(new Callback(seen));
			this.test.watched.enterUntilCommitted(this.run);
			return seen.add(this.test.watched.run());
		});
		assertThat(seen).containsExactly(this.run, null);
		assertThat(this.test.watched.run()).isNull();
	}

	@Test
	void aRollbackEndsTheLeaseOfTheThreadToo() {
		this.test.transactions.failNextCommit(TestEngine.lost());
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> this.test.inTransaction(() -> {
			this.test.watched.enterUntilCommitted(this.run);
			return true;
		}));
		assertThat(this.test.watched.run()).isNull();
		this.test.watched.enterUntilCommitted(this.run);
		assertThat(this.test.watched.run()).as("without a transaction").isNull();
	}

	@Test
	void aTransactionDoesNotWaitForAnAnswerThatIsNotStored() {
		this.run.finish(record());
		CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> mayCommit(this.run));
		this.run.release(Resumption.ANYBODY);
		assertThat(other).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(false);
	}

	@Test
	void progressOfAFormerOwnerIsNotStored() {
		assertThat(this.run.advance(null, "reserved", new byte[0], TestEngine.LEASE)).isTrue();
		this.test.takeOver(this.lease);
		assertThat(this.run.advance("reserved", "charged", new byte[0], TestEngine.LEASE)).isFalse();
	}

	@Test
	void theTransactionOfTheAnswerFailsAtOnceIfItsLeaseIsLost() {
		this.test.takeOver(this.lease);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.test.inTransaction(() -> {
			isolate(TransactionDefinition.ISOLATION_REPEATABLE_READ);
			this.run.holdUntilAnswered();
			return true;
		}));
	}

	@Test
	@Tag("X38")
	void aTransactionAboveReadCommittedLocksTheLeasesOfAllItsRunsUntilItHasEnded() {
		AtomicInteger locked = new AtomicInteger();
		this.test.beforeNext("hold", locked::incrementAndGet);
		this.test.beforeNext("hold", locked::incrementAndGet);
		FencedRun inner = run(this.test.lease(2), false, this.run);
		this.test.watched.enter(inner);
		TransactionTemplate template = new TransactionTemplate(this.test.transactions);
		template.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		assertThat(template.<Boolean>execute((status) -> inner.isLocked())).isTrue();
		assertThat(inner.isLocked()).isFalse();
		assertThat(locked).hasValue(2);
		this.test.watched.leave(inner);
		this.test.watched.leave(this.run);
	}

	@Test
	void aCommitThatGotNoReplyLeavesTheDecisionToTheDatabase() {
		this.test.watched.enter(this.run);
		this.test.transactions.failNextCommit(TestEngine.lost());
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.test.inTransaction(() -> "the handler's"));
		this.test.watched.leave(this.run);
		this.run.release(Resumption.ANYBODY);
		assertThat(probe()).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	void aRunThatHasCommittedIsReleasedAsOneThatHasNot() {
		this.test.watched.enter(this.run);
		this.test.inTransaction(() -> "the handler's");
		this.test.watched.leave(this.run);
		this.run.release(Resumption.ANYBODY);
		assertThat(probe()).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void theErrorOfARunSaysThatItsSenderWasToldTheEnd() {
		this.run.keepProgress();
		this.run.failed(new IllegalStateException("a secret"));
		this.run.release(Resumption.SENDER);
		assertThat(lastError()).startsWith("The sender was told a status that ends the request")
			.endsWith(": java.lang.IllegalStateException");
	}

	@Test
	void theErrorOfARunWithoutAnExceptionSaysThatOnly() {
		this.run.keepProgress();
		this.run.release(Resumption.SENDER);
		assertThat(lastError()).endsWith("only the sender resumes it");
	}

	@Test
	void aRunOfTheCompleterTellsNobodyTheEnd() {
		FencedRun completers = run(this.lease, true, null);
		completers.failed(new IllegalStateException("a secret"));
		completers.release(Resumption.SENDER);
		assertThat(lastError()).isEqualTo("java.lang.IllegalStateException");
	}

	private String lastError() {
		return this.test.memory.unfinished("test").find(this.lease.identity()).orElseThrow().lastError();
	}

	/**
	 * A callback right after those of highest precedence.
	 */
	private final class Callback implements TransactionSynchronization, PriorityOrdered {

		private final List<FencedRun> seen;

		Callback(List<FencedRun> seen) {
			this.seen = seen;
		}

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE + 1;
		}

		@Override
		public void afterCommit() {
			this.seen.add(FencedRunTests.this.test.watched.run());
		}

	}

	/**
	 * The phases of the run, whose last commit is in doubt as long as a test says so.
	 */
	private PhasedWork phases(BooleanSupplier doubt) {
		Hold.OfLease hold = new Hold.OfLease(this.test.keeper, this.test.watched, this.test.publisher, this.run);
		return new PhasedWork(this.test.duplicates(ResponseCache.NONE),
				TestEngine.call(1, Mode.LEASED, ClaimRequest.EffectCommits.IN_PHASES), hold,
				new StepResults(Map.of(), Set.of())) {

			@Override
			boolean isInDoubt() {
				return doubt.getAsBoolean();
			}

		};
	}

}
