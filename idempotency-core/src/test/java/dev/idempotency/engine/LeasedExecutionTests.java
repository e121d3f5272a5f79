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
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyNotification.Claimant;
import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.store.UnfinishedStore.Recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The ends of a call under a lease, with or without a transaction of its answer.
 */
class LeasedExecutionTests {

	private static final StoredResponse ANSWER = TestEngine.answer("paid");

	private static final StoredResponse DECLINED = new StoredResponse(402, List.of(), new byte[] { 1 });

	private final TestEngine test = new TestEngine();

	@AfterEach
	void close() {
		this.test.close();
		assertThat(this.test.watched.run()).isNull();
	}

	private static ClaimRequest call(EffectCommits commits) {
		return TestEngine.call(1, Mode.LEASED, commits);
	}

	private ClaimResult probe() {
		return this.test.memory.probe(TestEngine.identity(1));
	}

	private Lease lease() {
		return Objects.requireNonNull(this.test.watched.run()).lease();
	}

	@ParameterizedTest
	@EnumSource(names = "IN_PHASES", mode = EnumSource.Mode.EXCLUDE)
	void theAnswerIsReplayedAndTheLeaseIsGone(EffectCommits commits) {
		ClaimRequest call = call(commits);
		assertThat(this.test.execute(call).finish(ANSWER)).isEmpty();
		assertThat(this.test.notifications).singleElement().isInstanceOf(Executed.class);
		assertThat(this.test.claim(call)).isInstanceOf(Claim.Replayed.class);
		assertThat(this.test.tryLease(1)).isInstanceOf(StoredRecord.class);
	}

	@ParameterizedTest
	@EnumSource(names = "IN_PHASES", mode = EnumSource.Mode.EXCLUDE)
	void theAnswerToAFailureIsStored(EffectCommits commits) {
		Execution execution = this.test.execute(call(commits));
		execution.failed(new IllegalStateException("declined"));
		assertThat(execution.transaction()).isNull();
		assertThat(execution.recordFailure(DECLINED)).isEmpty();
		assertThat(probe()).isInstanceOf(StoredRecord.class);
	}

	@ParameterizedTest
	@EnumSource(names = "IN_PHASES", mode = EnumSource.Mode.EXCLUDE)
	void aFailureWithoutAnAnswerFreesTheKey(EffectCommits commits) {
		Execution execution = this.test.execute(call(commits));
		execution.failed(new IllegalStateException("later"));
		assertThat(probe()).isInstanceOf(ClaimResult.Held.class);
		execution.endUnanswered();
		execution.endUnanswered();
		assertThat(probe()).isInstanceOf(ClaimResult.Acquired.class);
		assertThat(this.test.notifications).singleElement().isInstanceOf(Released.class);
	}

	@Test
	void anAnswerIsTriedToBeStoredAgain() {
		Execution execution = this.test.execute(call(EffectCommits.FREELY));
		this.test.failNext("finish", TestEngine.lost());
		assertThat(execution.finish(ANSWER)).isEmpty();
		assertThat(this.test.notifications).hasSize(2).first().isInstanceOf(StoreFailed.class);
	}

	@Test
	void anAnswerWhoseRecordWasWrittenIsTheAnswer() {
		Execution execution = this.test.execute(call(EffectCommits.FREELY));
		Lease lease = lease();
		this.test.failNext("finish", TestEngine.lost());
		this.test.beforeNext("finish", () -> this.test.memory.finish(lease, this.test.lastFinished()));
		assertThat(execution.finish(ANSWER)).isEmpty();
	}

	@Test
	void aLeaseThatAnotherHasFinishedGivesTheirAnswer() {
		ClaimRequest call = call(EffectCommits.FREELY);
		Execution execution = this.test.execute(call);
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		this.test.execute(call).finish(DECLINED);
		assertThat(execution.finish(ANSWER)).hasValueSatisfying((other) -> assertThat(other.status()).isEqualTo(402));
		assertThat(this.test.notifications).anyMatch(TakenOver.class::isInstance);
	}

	@Test
	void aLeaseThatAnotherHoldsIsLost() {
		ClaimRequest call = call(EffectCommits.FREELY);
		Execution execution = this.test.execute(call);
		execution.leaveThread();
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		Execution second = this.test.execute(call);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> execution.finish(ANSWER));
		second.release();
		second.endUnanswered();
	}

	@Test
	void aTransactionOfTheAnswerThatHasLostItsLeaseIsRolledBack() {
		ClaimRequest call = call(EffectCommits.ONCE);
		Execution execution = this.test.execute(call);
		this.test.beforeNext("finish", () -> {
			this.test.passTime(TestEngine.LEASE.plusSeconds(1));
			this.test.tryLease(1);
		});
		assertThatExceptionOfType(RequestInProgressException.class).isThrownBy(() -> execution.finish(ANSWER));
		assertThat(execution.transaction()).isNull();
		assertThat(probe()).isInstanceOf(ClaimResult.Held.class);
	}

	@Test
	void aCommitThatConflictsEndsTheLease() {
		Execution execution = this.test.execute(call(EffectCommits.ONCE));
		this.test.transactions.failNextCommit(TestEngine.conflict());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> execution.finish(ANSWER));
		assertThat(probe()).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void aDuplicateOfARunningCallIsRefusedAndOneOfAnotherRequestToo() {
		Execution execution = this.test.execute(call(EffectCommits.FREELY));
		assertThatExceptionOfType(RequestInProgressException.class)
			.isThrownBy(() -> this.test.claim(call(EffectCommits.FREELY)));
		byte[] other = new byte[32];
		other[0] = 1;
		assertThatExceptionOfType(KeyReusedException.class).isThrownBy(
				() -> this.test.claim(TestEngine.call(1, Mode.LEASED, EffectCommits.FREELY, Replay.FULL, other)));
		execution.release();
		execution.endUnanswered();
	}

	@Test
	void aDuplicateWaitsForTheAnswer() {
		ClaimRequest call = call(EffectCommits.FREELY);
		Execution execution = this.test.execute(call);
		// The first question is that of the duplicate, the second is asked while it
		// waits.
		this.test.beforeNext("probe", () -> {
		});
		this.test.beforeNext("probe", () -> execution.finish(ANSWER));
		assertThat(this.test.engine.claim(call, Duration.ofMinutes(1))).isInstanceOf(Claim.Replayed.class);
	}

	@Test
	void aTransactionalCallSupersedesAnAbandonedLease() {
		this.test.execute(call(EffectCommits.FREELY)).leaveThread();
		ClaimRequest now = TestEngine.call(1, Mode.TRANSACTIONAL, EffectCommits.ONCE);
		assertThatExceptionOfType(RequestInProgressException.class).isThrownBy(() -> this.test.claim(now));
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		assertThat(this.test.execute(now).finish(ANSWER)).isEmpty();
	}

	@Test
	void anAbandonedLeaseWithEffectsIsNotSuperseded() {
		Execution first = this.test.execute(call(EffectCommits.FREELY));
		this.test.inTransaction(() -> this.test.memory.confirm(lease(), Effect.ONCE));
		first.leaveThread();
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		ClaimRequest now = TestEngine.call(1, Mode.TRANSACTIONAL, EffectCommits.ONCE);
		assertThatExceptionOfType(RequestInProgressException.class).isThrownBy(() -> this.test.claim(now));
	}

	/**
	 * A delivery by the completer, which has claimed the request.
	 */
	private static ClaimRequest delivery(Lease lease, byte[] fingerprint) {
		Recovery recovery = new Recovery(lease, "pay", fingerprint, new byte[0], new Progress(2, null, null));
		return new ClaimRequest(call(EffectCommits.FREELY).operation(), TestEngine.identity(1),
				Fingerprint.of(new byte[32]), EffectCommits.FREELY, null, recovery);
	}

	@Test
	void theCompleterExecutesARequestUnderItsOwnClaim() {
		Execution execution = this.test.execute(delivery(this.test.lease(1), new byte[32]));
		assertThat(this.test.notifications).containsExactly(new TakenOver("pay", Claimant.COMPLETER));
		assertThat(execution.finish(ANSWER)).isEmpty();
		assertThat(this.test.claim(call(EffectCommits.FREELY))).isInstanceOf(Claim.Replayed.class);
	}

	@Test
	void aStoredRequestThatBelongsToAnotherClaimIsNotExecuted() {
		byte[] other = new byte[32];
		other[0] = 1;
		for (ClaimRequest moved : List.of(delivery(this.test.lease(1), other),
				delivery(this.test.lease(2), new byte[32]))) {
			assertThatIllegalStateException().isThrownBy(() -> this.test.claim(moved))
				.withMessageContaining("belongs to another request");
		}
	}

	@Test
	void anAbandonedRequestIsTakenOverAfterARotationOfTheSecret() {
		ClaimRequest before = rotated("old");
		this.test.execute(before).leaveThread();
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		ClaimRequest now = rotated("new", "old");
		assertThat(now.fingerprint().isStoredAs(before.fingerprint().bytes())).isFalse();
		this.test.execute(now).finish(ANSWER);
		assertThat(this.test.claim(now)).isInstanceOf(Claim.Replayed.class);
		assertThat(this.test.claim(before)).as("still stored under its first fingerprint")
			.isInstanceOf(Claim.Replayed.class);
	}

	@ParameterizedTest
	@EnumSource(names = "ONCE", mode = EnumSource.Mode.EXCLUDE)
	void anAbandonedRequestIsTakenOverByARetryWithOtherBytesOfTheSameMeaning(EffectCommits commits) {
		ClaimRequest before = spelled(1, commits);
		this.test.execute(before).leaveThread();
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		this.test.execute(spelled(2, commits)).finish(ANSWER);
		assertThat(this.test.claim(before)).isInstanceOf(Claim.Replayed.class);
		assertThat(this.test.claim(spelled(3, commits))).isInstanceOf(Claim.Replayed.class);
		assertThatExceptionOfType(KeyReusedException.class)
			.isThrownBy(() -> this.test.claim(rotated("another meaning")));
	}

	private static ClaimRequest spelled(int spelling, EffectCommits commits) {
		IdempotentOperation operation = call(commits).operation();
		return new ClaimRequest(operation, TestEngine.identity(1),
				new IdentityFactory("app", IdentityFactory::defaultScopeName, DigestKeys.none()).fingerprint(
						TestEngine.identity(1), operation, new byte[] { (byte) spelling }, () -> new byte[] { 5 }),
				commits, null, null);
	}

	private static ClaimRequest rotated(String... secrets) {
		DigestKeys keys = DigestKeys.of(new byte[32],
				Stream.of(secrets).map((secret) -> secret.getBytes(StandardCharsets.UTF_8)).toList());
		IdempotentOperation operation = call(EffectCommits.FREELY).operation();
		return new ClaimRequest(
				operation, TestEngine.identity(1), new IdentityFactory("app", IdentityFactory::defaultScopeName, keys)
					.fingerprint(TestEngine.identity(1), operation, new byte[] { 5 }),
				EffectCommits.FREELY, null, null);
	}

	@Test
	void aRequestWhoseLeaseIsLostAtTheBeginOfItsTransactionIsNotExecuted() {
		this.test.transactions.isolate(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		this.test.beforeNext("hold", () -> {
			this.test.passTime(TestEngine.LEASE.plusSeconds(1));
			this.test.tryLease(1);
		});
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.test.claim(call(EffectCommits.ONCE)));
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(probe()).isInstanceOf(ClaimResult.Held.class);
	}

	@Test
	void aRequestWhoseLeaseCannotBeLockedIsUnavailable() {
		this.test.transactions.isolate(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		this.test.failNext("hold", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class)
			.isThrownBy(() -> this.test.claim(call(EffectCommits.ONCE)));
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(probe()).isInstanceOf(ClaimResult.Acquired.class);
	}

}
