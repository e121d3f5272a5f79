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
package dev.idempotency.storecontract;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.UnfinishedStore.Filter;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of phases: a phase holds its claim, stores the progress of its request,
 * and can be resumed.
 */
abstract class PhasedContract extends LeaseStoreContract {

	private static final byte[] STEPS = { 5, 0, -5 };

	@Test
	void whatIsHeldIsNotTakenOverBeforeThePhaseEnds() {
		for (int i = 0; i < 20; i++) {
			boolean isEven = i % 2 == 0;
			Identity identity = identity();
			Lease lease = expiredLease(identity);
			CompletableFuture<ClaimResult> other = inTransaction(() -> {
				assertThat(isEven ? store().hold(lease) : store().hold(lease, Isolation.DEFAULT)).isTrue();
				CompletableFuture<ClaimResult> started = Parallel.start(() -> store().lease(request(identity)));
				assertThat(store().advance(lease, null, "step", STEPS, HOUR)).isTrue();
				return started;
			});
			assertThat(other.join()).isNotInstanceOf(ClaimResult.Leased.class);
			assertThat(store().isHeld(lease)).isTrue();
		}
	}

	@Test
	void aPhaseRunsAtTheIsolationThatItAsksFor() {
		Identity identity = identity();
		Lease lease = lease(identity);
		String point = null;
		for (Isolation isolation : Isolation.values()) {
			String before = point;
			point = "step-" + isolation;
			String next = point;
			assertThat(inTransaction(
					() -> store().hold(lease, isolation) && store().advance(lease, before, next, STEPS, HOUR)))
				.as(isolation.name())
				.isTrue();
		}
		assertThat(found(identity).progress().recoveryPoint()).isEqualTo("step-" + Isolation.SERIALIZABLE);
	}

	@Test
	void whoTakesOverFindsHowFarTheFormerOwnerHadCome() {
		Identity identity = identity();
		Lease lease = lease(identity);
		inTransaction(
				() -> store().hold(lease, Isolation.DEFAULT) && store().advance(lease, null, "step", STEPS, HOUR));
		store().interrupt(lease, new Interruption(null, true));
		Progress progress = leased(store().lease(request(identity))).progress();
		assertThat(progress.attempts()).isEqualTo(2);
		assertThat(progress.recoveryPoint()).isEqualTo("step");
		assertThat(progress.steps()).isEqualTo(STEPS);
	}

	@Test
	void aRequestNamesTheNodeThatClaimedItLast() {
		Identity identity = identity();
		Lease lease = lease(identity);
		assertThat(found(identity).node()).isEqualTo(NodeName.CURRENT);
		store().interrupt(lease, new Interruption("java.io.IOException", true));
		assertThat(unfinished().list(Filter.OPEN, 1)).extracting(UnfinishedRecord::node)
			.containsExactly(NodeName.CURRENT);
	}

	@Test
	void aPhaseThatIsRolledBackHasNotBeen() {
		Identity identity = identity();
		Lease lease = lease(identity);
		assertThat(store().advance(lease, null, "first", STEPS, HOUR)).as("without a transaction").isTrue();
		rolledBack(() -> store().hold(lease, Isolation.DEFAULT)
				&& store().advance(lease, "first", "second", new byte[] { 6 }, Duration.ofHours(9)));
		Progress progress = found(identity).progress();
		assertThat(progress.recoveryPoint()).isEqualTo("first");
		assertThat(progress.steps()).isEqualTo(STEPS);
		passTime(HOUR);
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	@Tag("P9")
	void theBeginOfACallIsStoredBeforeTheFirstStepAndIsNotSuperseded() {
		Identity identity = identity();
		Lease lease = lease(identity);
		assertThat(store().advance(lease, null, null, STEPS, Duration.ZERO)).isTrue();
		Progress progress = store().progress(lease).orElseThrow();
		assertThat(progress.recoveryPoint()).isNull();
		assertThat(progress.steps()).isEqualTo(STEPS);
		passTime(Duration.ofMinutes(1));
		assertThat(inTransaction(() -> store().supersede(lease))).isFalse();
		assertThat(store().advance(lease, null, "step", STEPS, HOUR)).isTrue();
		assertThat(store().advance(lease, "step", "step", STEPS, HOUR)).as("the begin of the next").isTrue();
	}

	@Test
	@Tag("X24")
	void aStepThatItsOwnerDoesNotKnowOfIsNotForgotten() {
		Identity identity = identity();
		Lease lease = lease(identity);
		assertThat(store().progress(lease).orElseThrow().recoveryPoint()).isNull();
		assertThat(store().advance(lease, "other", "second", STEPS, HOUR)).as("before the first").isFalse();
		assertThat(store().advance(lease, null, "first", STEPS, HOUR)).isTrue();
		assertThat(store().advance(lease, null, "second", new byte[] { 6 }, HOUR)).as("behind the first").isFalse();
		assertThat(inTransaction(() -> !store().hold(lease, Isolation.DEFAULT)
				|| store().advance(lease, "other", "second", new byte[] { 6 }, HOUR)))
			.isFalse();
		Progress progress = store().progress(lease).orElseThrow();
		assertThat(progress.recoveryPoint()).isEqualTo("first");
		assertThat(progress.steps()).isEqualTo(STEPS);
		assertThat(store().advance(lease, "first", "second", new byte[] { 6 }, HOUR)).isTrue();
		store().release(lease);
		assertThat(store().progress(lease)).isEmpty();
	}

	@Test
	@Tag("X24")
	void whatBecameOfAPhaseIsToldWhenItHasEnded() {
		for (int i = 0; i < 20; i++) {
			Lease lease = lease(identity());
			boolean committed = i % 2 == 0;
			Supplier<CompletableFuture<Optional<Progress>>> phase = () -> {
				store().hold(lease, Isolation.DEFAULT);
				CompletableFuture<Optional<Progress>> asked = Parallel.start(() -> store().progress(lease));
				store().advance(lease, null, "step", STEPS, HOUR);
				return asked;
			};
			Progress observed = (committed ? inTransaction(phase) : rolledBack(phase)).join().orElseThrow();
			// A read that comes too early gets the state before the phase.
			assertThat(observed.recoveryPoint()).isIn(committed ? "step" : null, null);
			assertThat(store().progress(lease).orElseThrow().recoveryPoint()).isEqualTo(committed ? "step" : null);
		}
	}

	@Test
	void eachPhaseExtendsTheClaim() {
		Identity identity = identity();
		Lease lease = expiredLease(identity);
		store().advance(lease, null, "step", STEPS, HOUR);
		passTime(Duration.ofMinutes(59));
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Held.class);
	}

	@Test
	void theLastPhaseEndsTheClaimAndWritesTheRecordOrNeither() {
		Identity identity = identity();
		Lease lease = lease(identity);
		rolledBack(() -> store().hold(lease, Isolation.DEFAULT) && store().finish(lease, finished(identity, "answer")));
		assertThat(store().isHeld(lease)).isTrue();
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Held.class);
		assertThat(inTransaction(
				() -> store().hold(lease, Isolation.DEFAULT) && store().finish(lease, finished(identity, "answer"))))
			.isTrue();
		assertThat(store().isHeld(lease)).isFalse();
		assertThat(recordOf(identity).response()).isEqualTo(answer("answer"));
	}

	@Test
	void anInterruptedRequestIsFreeAtOnceAndTellsWhy() {
		Identity identity = identity();
		store().interrupt(lease(identity), new Interruption("IOException", true));
		UnfinishedRecord interrupted = found(identity);
		assertThat(interrupted.running()).isFalse();
		assertThat(interrupted.lastError()).isEqualTo("IOException");
		assertThat(store().lease(request(identity))).isInstanceOf(ClaimResult.Leased.class);
	}

	@Test
	void attemptsThatDoNotCountAreNotCounted() {
		Identity identity = identity();
		LeaseRequest atMostTwice = new LeaseRequest(identity, "POST /test", FINGERPRINT, COMMAND, HOUR, true, 2,
				LeaseLimits.NONE);
		for (int i = 0; i < 5; i++) {
			store().interrupt(leased(store().lease(atMostTwice)).lease(), new Interruption(null, false));
		}
		for (int i = 0; i < 2; i++) {
			store().interrupt(leased(store().lease(atMostTwice)).lease(), new Interruption(null, true));
		}
		assertThat(store().lease(atMostTwice)).isInstanceOf(ClaimResult.Abandoned.class);
	}

}
