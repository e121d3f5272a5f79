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

import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.Claimant;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.Hold;
import dev.idempotency.engine.lease.LeaseFence;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;
import dev.idempotency.store.UnfinishedStore.Recovery;

/**
 * Claims calls in mode LEASED: the claim is committed before anything runs, and
 * heartbeats extend it.
 */
record LeasedClaims(LeaseStore store, CallDecisions decisions, TransactionalClaims transactional, LeaseKeeper keeper,
		LeaseFence fence, EngineSettings.Phases phaseSettings) {

	/**
	 * Claims a call.
	 * @return the right to execute it, or its answer; {@code null} while another delivery
	 * is running
	 */
	@Nullable Claim claim(Call delivered) {
		Recovery recovery = delivered.recovery();
		Call call = delivered;
		Attempt attempt = (recovery != null) ? resume(call, recovery) : takeLease(call);
		if (attempt instanceof Attempt.Abandoned abandoned && isInEarlierForm(call, abandoned.fingerprint())) {
			call = call.storedAs(abandoned.fingerprint());
			attempt = takeLease(call);
		}
		if (!(attempt instanceof Attempt.Leased leased)) {
			return this.decisions.decide(call, attempt);
		}
		Lease lease = leased.lease();
		Progress progress = leased.progress();
		if (progress.attempts() > 1) {
			this.decisions.notifications()
				.publish(new TakenOver(call.operation().name(),
						(recovery != null) ? Claimant.COMPLETER : Claimant.SENDER));
		}
		this.keeper.hold(lease);
		Hold.OfLease hold = new Hold.OfLease(this.keeper, this.fence, this.decisions.notifications(),
				this.fence.run(this.store, lease, call.operation().name(), recovery != null));
		Execution execution = switch (call.commits()) {
			case ONCE -> inTransaction(call, hold);
			case FREELY -> new Execution(this.decisions, call, hold, null);
			case IN_PHASES -> phases(call, hold, progress);
		};
		// After the transaction of the answer has begun: it ends the lease, and the fence
		// applies only to other transactions.
		execution.enterThread();
		return execution;
	}

	/**
	 * Returns whether the abandoned request is this one under an earlier fingerprint.
	 * Stores compare fingerprints only by their bytes when they take a claim over.
	 */
	private static boolean isInEarlierForm(Call call, byte[] stored) {
		return !call.fingerprint().isStoredAs(stored) && call.fingerprint().matches(stored);
	}

	private Execution inTransaction(Call call, Hold.OfLease hold) {
		try {
			return this.transactional.open(call, hold);
		}
		catch (RuntimeException | Error ex) {
			hold.end(Resumption.ANYBODY);
			throw ex;
		}
	}

	private Execution phases(Call call, Hold.OfLease hold, Progress progress) {
		try {
			StepResults steps = StepResults.decode(call.identity(), call.fingerprint().bytes(), progress.steps(),
					this.decisions.codec());
			return new PhasedWork(this.decisions, call, hold, steps, this.phaseSettings).execution();
		}
		catch (RuntimeException | Error ex) {
			this.keeper.letGo(hold.run().lease());
			throw ex;
		}
	}

	/**
	 * Uses the claim that the completer has made for this command.
	 */
	private static Attempt resume(Call call, Recovery recovery) {
		if (!recovery.lease().identity().equals(call.identity())
				|| !call.fingerprint().isStoredAs(recovery.fingerprint())) {
			throw new IllegalStateException(
					"The stored command of " + recovery.operation() + " belongs to another request");
		}
		return new Attempt.Leased(recovery.lease(), recovery.progress());
	}

	private Attempt takeLease(Call call) {
		LeaseKeeper.Settings settings = this.keeper.settings();
		try {
			Command command = call.command();
			byte[] fingerprint = call.fingerprint().bytes();
			return this.store.lease(
					new LeaseRequest(call.identity(), call.operation().name(), fingerprint,
							(command != null) ? command.encode(call.identity(), fingerprint, this.decisions.codec())
									: null,
							settings.duration(), settings.onExpiry() == LeaseExpiry.RERUN, settings.maxAttempts(),
							settings.limits()));
		}
		catch (RuntimeException ex) {
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
	}

}
