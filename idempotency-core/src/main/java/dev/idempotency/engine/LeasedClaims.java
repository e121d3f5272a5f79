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

import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.IdempotencyNotification.Claimant;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.codec.CommandFormat;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.execution.CallHold;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.LeasedExecution;
import dev.idempotency.engine.lease.LeaseFence;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.engine.observation.Stopwatch;
import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.Progress;
import dev.idempotency.store.Recovery;
import dev.idempotency.store.Shard;

/**
 * Claims calls in mode leased: the claim is committed before anything runs, and is held
 * by heartbeats.
 */
final class LeasedClaims {

	private final LeaseStore store;

	private final PlatformTransactionManager transactionManager;

	private final NotificationPublisher notifications;

	private final CallDecisions decisions;

	private final TransactionalClaims transactional;

	private final LeaseKeeper keeper;

	private final LeaseFence fence;

	private final ResponseCodec codec;

	private final CommandFormat commands;

	private final EngineSettings.Phases phaseSettings;

	private final StageObserver stages;

	LeasedClaims(LeaseStore store, PlatformTransactionManager transactionManager, NotificationPublisher notifications,
			CallDecisions decisions, TransactionalClaims transactional, LeaseKeeper keeper, LeaseFence fence,
			ResponseCodec codec, EngineSettings.Phases phaseSettings, StageObserver stages) {
		this.store = store;
		this.transactionManager = transactionManager;
		this.notifications = notifications;
		this.decisions = decisions;
		this.transactional = transactional;
		this.keeper = keeper;
		this.fence = fence;
		this.codec = codec;
		this.commands = new CommandFormat(codec);
		this.phaseSettings = phaseSettings;
		this.stages = stages;
	}

	/**
	 * Claims a call.
	 * @return the right to execute it, or its answer; {@code null} while another delivery
	 * is running
	 */
	@Nullable Claim claim(Call delivered, Stopwatch stopwatch) {
		Recovery recovery = delivered.recovery();
		Call call = delivered;
		Attempt attempt = (recovery != null) ? resume(call, recovery) : takeLease(call);
		if (attempt instanceof Attempt.Abandoned abandoned && isInEarlierForm(call, abandoned.fingerprint())) {
			call = call.storedAs(abandoned.fingerprint());
			attempt = takeLease(call);
		}
		if (!(attempt instanceof Attempt.Leased leased)) {
			return this.decisions.decide(call, attempt, stopwatch);
		}
		Lease lease = leased.lease();
		Progress progress = leased.progress();
		if (progress.attempts() > 1) {
			this.notifications.publish(
					new TakenOver(call.operation().name(), (recovery != null) ? Claimant.COMPLETER : Claimant.SENDER));
		}
		Shard shard = this.keeper.hold(lease);
		CallHold.OfLease hold = new CallHold.OfLease(this.keeper, this.fence, this.notifications,
				this.fence.run(this.store, shard, lease, call.operation().name(), recovery != null));
		Execution execution = switch (call.commits()) {
			case ONCE -> inTransaction(call, hold, stopwatch);
			case FREELY -> new LeasedExecution(this.decisions, this.notifications, call, hold, stopwatch);
			case IN_PHASES -> phases(call, hold, progress, stopwatch);
		};
		// After the transaction has begun, which ends with the lease itself: the fence is
		// for all others.
		execution.enterThread();
		return execution;
	}

	/**
	 * Stores compare fingerprints by their bytes before a claim is taken over.
	 */
	private static boolean isInEarlierForm(Call call, byte[] stored) {
		return !call.fingerprint().isStoredAs(stored) && call.fingerprint().matches(stored);
	}

	private Execution inTransaction(Call call, CallHold.OfLease hold, Stopwatch stopwatch) {
		try {
			return this.transactional.open(call, hold, stopwatch);
		}
		catch (RuntimeException | Error ex) {
			hold.end();
			throw ex;
		}
	}

	private Execution phases(Call call, CallHold.OfLease hold, Progress progress, Stopwatch stopwatch) {
		try {
			StepResults steps = StepResults.decode(call.identity(), call.fingerprint().bytes(), progress.steps(),
					this.codec);
			return new PhasedExecution(this.decisions, this.notifications, this.transactionManager, call, hold, steps,
					progress.attempts(), this.phaseSettings, this.stages, stopwatch);
		}
		catch (RuntimeException ex) {
			this.keeper.letGo(hold.run().lease());
			throw ex;
		}
	}

	/**
	 * The completer has already made the claim for this command.
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
			return this.store.lease(new LeaseRequest(call.identity(), call.operation().name(), fingerprint,
					(command != null) ? this.commands.encode(call.identity(), fingerprint, command) : null,
					settings.duration(), settings.onExpiry() == LeaseExpiry.RERUN, settings.maxAttempts(),
					settings.limits()));
		}
		catch (RuntimeException ex) {
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
	}

}
