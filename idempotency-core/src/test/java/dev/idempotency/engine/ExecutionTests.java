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

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The ends of a call that runs in one transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
class ExecutionTests {

	private static final StoredResponse ANSWER = TestEngine.answer("paid");

	private static final StoredResponse DECLINED = new StoredResponse(402, List.of(),
			"declined".getBytes(StandardCharsets.UTF_8));

	private final TestEngine test = new TestEngine();

	private final ClaimRequest call = TestEngine.call(1, Mode.TRANSACTIONAL, EffectCommits.ONCE);

	private final Execution execution = this.test.execute(this.call);

	@AfterEach
	void close() {
		this.test.close();
	}

	private void assertFree() {
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(this.test.memory.probe(this.call.identity())).isInstanceOf(ClaimResult.Acquired.class);
	}

	private void assertStored(StoredResponse answer) {
		assertThat(this.test.claim(this.call)).isInstanceOfSatisfying(Claim.Replayed.class,
				(replayed) -> assertThat(replayed.response().content()).isEqualTo(answer.content()));
	}

	/**
	 * Stores an answer of somebody else, once the execution asks for it.
	 */
	private void finishElsewhereBeforeTheNextProbe() {
		FinishedRecord theirs = this.test.duplicates(ResponseCache.NONE).toRecord(this.call, DECLINED, 4711);
		this.test.beforeNext("probe", () -> this.test.inTransaction(() -> this.test.memory.finish(theirs)));
	}

	@Test
	void theAnswerIsStoredByTheCommitOfTheTransaction() {
		assertThat(this.execution.transaction()).isNotNull();
		assertThat(this.test.memory.probe(this.call.identity())).isInstanceOf(ClaimResult.Busy.class);
		assertThat(this.execution.finish(ANSWER)).isEmpty();
		assertThat(this.execution.transaction()).isNull();
		assertThat(this.test.notifications).singleElement().isInstanceOf(Executed.class);
		assertStored(ANSWER);
	}

	@Test
	void aFailureFreesTheKey() {
		this.execution.release();
		this.execution.endUnanswered();
		assertFree();
		assertThat(this.test.notifications).singleElement().isInstanceOf(Released.class);
	}

	@Test
	void theAnswerToAFailureIsStoredAfterTheRollback() {
		this.execution.release();
		assertThat(this.execution.recordFailure(DECLINED)).isEmpty();
		assertStored(DECLINED);
	}

	@Test
	void nothingIsStoredForAnExecutionThatHasEnded() {
		this.execution.release();
		this.execution.endUnanswered();
		assertThat(this.execution.recordFailure(DECLINED)).isEmpty();
		assertFree();
	}

	@Test
	void theAnswerToAFailureGivesWayToThatOfAnotherDelivery() {
		this.execution.release();
		this.test.execute(this.call).finish(ANSWER);
		assertThat(this.execution.recordFailure(DECLINED))
			.hasValueSatisfying((other) -> assertThat(other.content()).isEqualTo(ANSWER.content()));
	}

	@Test
	void aTransactionMarkedRollbackOnlyIsAFailedCommit() {
		Optional.ofNullable(this.execution.transaction()).ifPresent(TransactionStatus::setRollbackOnly);
		assertThatExceptionOfType(UnexpectedRollbackException.class).isThrownBy(() -> this.execution.finish(ANSWER));
		assertFree();
	}

	@Test
	void anErrorOutlivesATransactionMarkedRollbackOnly() {
		Optional.ofNullable(this.execution.transaction()).ifPresent(TransactionStatus::setRollbackOnly);
		assertThat(this.execution.finish(DECLINED)).isEmpty();
		assertStored(DECLINED);
	}

	@Test
	void anErrorOutlivesATransactionThatTheDatabaseHasAborted() {
		this.test.failNext("finish", TestEngine.failure("25P02"));
		assertThat(this.execution.finish(DECLINED)).isEmpty();
		assertStored(DECLINED);
	}

	@Test
	void aCommitThatTheDatabaseRefusesIsAFailure(CapturedOutput output) {
		RuntimeException refused = TestEngine.failure("23503");
		this.test.transactions.failNextCommit(refused);
		assertThatExceptionOfType(refused.getClass()).isThrownBy(() -> this.execution.finish(ANSWER)).isSameAs(refused);
		assertThat(output).doesNotContain("is not known");
		assertFree();
		assertThat(this.test.notifications).singleElement().isInstanceOf(Released.class);
	}

	@Test
	void aCommitThatConflictsIsToBeSentAgain() {
		this.test.transactions.failNextCommit(TestEngine.conflict());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> this.execution.finish(ANSWER));
		assertThat(this.test.notifications).as("the store works").noneMatch(StoreFailed.class::isInstance);
		assertFree();
	}

	@Test
	void aCommitThatConflictsWithTheOtherDeliveryGivesItsAnswer() {
		this.test.transactions.failNextCommit(TestEngine.conflict());
		finishElsewhereBeforeTheNextProbe();
		assertThat(this.execution.finish(ANSWER))
			.hasValueSatisfying((other) -> assertThat(other.content()).isEqualTo(DECLINED.content()));
		assertThat(this.test.notifications).anyMatch(Replayed.class::isInstance);
	}

	@Test
	void aLostCommitThatTheDatabaseHasRolledBackIsAFailure(CapturedOutput output) {
		RuntimeException lost = TestEngine.lost();
		this.test.transactions.failNextCommit(lost);
		assertThatExceptionOfType(lost.getClass()).isThrownBy(() -> this.execution.finish(ANSWER)).isSameAs(lost);
		assertThat(output).contains("The outcome of a commit is not known");
		assertFree();
	}

	@Test
	void aLostCommitThatTheDatabaseHasMadeIsAnAnswer() {
		this.test.transactions.failNextCommit(TestEngine.lost());
		this.test.beforeNext("probe",
				() -> this.test.inTransaction(() -> this.test.memory.finish(this.test.lastFinished())));
		assertThat(this.execution.finish(ANSWER)).isEmpty();
		assertThat(this.test.notifications).singleElement().isInstanceOf(Executed.class);
		assertStored(ANSWER);
	}

	@Test
	void aLostCommitAfterAnotherDeliveryGivesItsAnswer() {
		this.test.transactions.failNextCommit(TestEngine.lost());
		finishElsewhereBeforeTheNextProbe();
		assertThat(this.execution.finish(ANSWER))
			.hasValueSatisfying((other) -> assertThat(other.content()).isEqualTo(DECLINED.content()));
	}

	@Test
	void aLostCommitThatNobodyCanBeAskedAboutIsUnavailable() {
		this.test.transactions.failNextCommit(TestEngine.lost());
		this.test.failNext("probe", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> this.execution.finish(ANSWER));
		assertThat(this.test.notifications).hasSize(1).allMatch(StoreFailed.class::isInstance);
	}

	@Test
	void aRecordThatCannotBeWrittenIsUnavailable() {
		this.test.failNext("finishWithCommit", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> this.execution.finish(ANSWER));
		assertFree();
	}

	@Test
	void aResponseThatCannotBeEncodedIsAFailure() {
		IllegalStateException failure = new IllegalStateException("encryption");
		this.execution.release();
		this.execution.endUnanswered();
		Execution other = (Execution) this.test.engine(new ResponseCodec() {

			@Override
			public byte[] encode(Context context, byte[] content) {
				throw failure;
			}

			@Override
			public byte[] decode(Context context, byte[] stored) {
				return stored;
			}

		}).claim(this.call);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> other.finish(ANSWER)).isSameAs(failure);
		assertThat(other.isReleased()).isTrue();
		other.endUnanswered();
		assertFree();
	}

	@Test
	void aRecordThatConflictsWithThatOfAnotherDeliveryGivesItsAnswer() {
		this.test.failNext("finishWithCommit", TestEngine.conflict());
		finishElsewhereBeforeTheNextProbe();
		assertThat(this.execution.finish(ANSWER))
			.hasValueSatisfying((other) -> assertThat(other.content()).isEqualTo(DECLINED.content()));
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
	}

	@Test
	void aRecordThatConflictsWithAnythingElseIsToBeSentAgain() {
		this.test.failNext("finishWithCommit", TestEngine.conflict());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> this.execution.finish(ANSWER));
		assertFree();
		assertThat(this.test.notifications).singleElement().isInstanceOf(Released.class);
	}

	@Test
	void aConflictIsToBeSentAgainAlsoIfTheOtherDeliveryCannotBeRead() {
		RuntimeException conflict = TestEngine.conflict();
		this.test.failNext("finishWithCommit", conflict);
		this.test.failNext("probe", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> this.execution.finish(ANSWER));
		assertThat(conflict.getSuppressed()).singleElement().isInstanceOf(StoreUnavailableException.class);
		assertFree();
	}

	@Test
	void aCallbackThatPreventsTheCommitIsAFailure() {
		IllegalStateException failure = new IllegalStateException("callback");
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				throw failure;
			}

		});
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.execution.finish(ANSWER))
			.isSameAs(failure);
		assertFree();
		assertThat(this.test.notifications).singleElement().isInstanceOf(Released.class);
	}

	@Test
	void aCallbackThatFailsAfterTheCommitChangesNothing(CapturedOutput output) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				throw new IllegalStateException("callback");
			}

		});
		assertThat(this.execution.finish(ANSWER)).isEmpty();
		assertStored(ANSWER);
		assertThat(output).contains("[IDEM-1302]");
	}

	@Test
	void theAnswerToAFailureIsWrittenAgainAfterAConflict() {
		this.execution.release();
		this.test.failNext("finishAfterRollback", TestEngine.conflict());
		assertThat(this.execution.recordFailure(DECLINED)).isEmpty();
		assertStored(DECLINED);
	}

	@Test
	void theAnswerToAFailureThatKeepsConflictingIsUnavailable() {
		this.execution.release();
		for (int i = 0; i < 10; i++) {
			this.test.failNext("finishAfterRollback", TestEngine.conflict());
		}
		assertThatExceptionOfType(StoreUnavailableException.class)
			.isThrownBy(() -> this.execution.recordFailure(DECLINED));
		assertFree();
	}

	@Test
	void aClaimThatFailsLeavesNoTransaction() {
		ClaimRequest other = TestEngine.call(2, Mode.TRANSACTIONAL, EffectCommits.ONCE);
		this.execution.finish(ANSWER);
		this.test.failNext("acquire", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> this.test.claim(other));
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
	}

	@Test
	void aReplayLeavesTheTransactionOfItsCallerAsItIs() {
		this.execution.finish(ANSWER);
		assertThat(this.test.<Boolean>inTransaction(() -> this.test.claim(this.call) instanceof Claim.Replayed))
			.isTrue();
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
	}

}
