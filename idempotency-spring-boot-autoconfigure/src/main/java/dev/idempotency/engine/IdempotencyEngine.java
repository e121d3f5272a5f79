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

import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import dev.idempotency.IdempotencyEvent.Claimant;
import dev.idempotency.IdempotencyEvent.StorePhase;
import dev.idempotency.IdempotencyEvent.TakenOver;
import dev.idempotency.KeyReusedException;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.Mode;
import dev.idempotency.NotReplayableException;
import dev.idempotency.RequestInProgressException;
import dev.idempotency.ResponseCodec;
import dev.idempotency.StoreUnavailableException;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.Progress;
import dev.idempotency.store.Recovery;

/**
 * Claims calls: for each delivery of a call, exactly one of the right to execute it, its
 * stored answer, and a refusal.
 */
public final class IdempotencyEngine {

	private static final TransactionDefinition DEFINITION = new DefaultTransactionDefinition();

	private final IdempotencyStore store;

	private final PlatformTransactionManager transactionManager;

	private final EventPublisher events;

	private final InFlight inFlight;

	private final LeaseKeeper keeper;

	private final LeaseFence fence;

	private final CallDecisions decisions;

	private final BatchClaims batches;

	private final RecentCalls recent;

	private final ResponseCodec codec;

	private final CommandFormat commands;

	private final PhaseSettings phaseSettings;

	private final StageObserver stages;

	/**
	 * Create an engine.
	 * @param store the store
	 * @param transactionManager the transaction manager of the business rows
	 * @param codec how answers are stored
	 * @param cache what is known of finished calls without the store
	 * @param retention how long answers are kept by their outcome
	 * @param events who is told
	 * @param inFlight what duplicates of a running call do
	 * @param keeper the heartbeat of leases
	 * @param fence the guard of transactions of leased runs, which the transaction
	 * manager has to know
	 * @param phaseSettings how phases run
	 * @param stages who follows calls stage by stage
	 */
	public IdempotencyEngine(IdempotencyStore store, PlatformTransactionManager transactionManager, ResponseCodec codec,
			AnswerCache cache, Retention retention, EventPublisher events, InFlight inFlight, LeaseKeeper keeper,
			LeaseFence fence, PhaseSettings phaseSettings, StageObserver stages) {
		this.store = store;
		this.transactionManager = transactionManager;
		this.events = events;
		this.inFlight = inFlight;
		this.keeper = keeper;
		this.fence = fence;
		this.codec = codec;
		this.commands = new CommandFormat(codec);
		this.phaseSettings = phaseSettings;
		this.stages = stages;
		this.decisions = new CallDecisions(store, codec, cache, retention, events, inFlight.retryAfter());
		this.recent = new RecentCalls(store, this.decisions);
		this.batches = new BatchClaims(store, transactionManager, this.decisions, this::join);
	}

	/**
	 * Claim a call. With an {@link Execution} of a transactional call its transaction is
	 * open on the current thread; after anything else no connection is held.
	 * @param call the call
	 * @return the right to execute it, or its answer
	 * @throws KeyReusedException if the key stands for another request
	 * @throws RequestInProgressException if another delivery is running
	 * @throws NotReplayableException if it was executed and its answer was not kept
	 * @throws StoreUnavailableException if the store cannot be asked
	 */
	public Claim claim(Call call) {
		return claim(call, this.inFlight.maxWait());
	}

	/**
	 * As {@link #claim(Call)}, with a wait of its own.
	 * @param call the call
	 * @param maxWait how long to wait while another delivery is running
	 * @return the right to execute it, or its answer
	 */
	public Claim claim(Call call, Duration maxWait) {
		Claim claim = this.stages.isNoop() ? decide(call, maxWait)
				: ObservedExecution.claim(call, this.stages, (observed) -> decide(observed, maxWait));
		if (claim instanceof Execution) {
			this.decisions.available();
		}
		return claim;
	}

	/**
	 * Claim several calls, which are to run in one transaction.
	 * @param calls transactional calls of different identities, at least one
	 * @param maxWait how long to wait while another delivery of one of them is running
	 * @return all of them, with their transaction open on the current thread
	 * @throws RefusedCallException if one of them is refused; nothing is held then
	 * @throws StoreUnavailableException if the store cannot be asked
	 */
	public CallBatch claimAll(List<Call> calls, Duration maxWait) {
		CallBatch batch = this.batches.claim(calls, maxWait);
		this.decisions.available();
		return batch;
	}

	private Execution join(Call call) {
		Hold hold = new Hold.OfTransaction(this.store, OpenTransaction.of(call.operation().name()));
		Execution execution = execution(call, begin(call), hold, Stopwatch.start());
		execution.enterThread();
		return execution;
	}

	private Claim decide(Call call, Duration maxWait) {
		Stopwatch stopwatch = Stopwatch.start();
		Answer cached = (call.recovery() == null) ? this.decisions.replayCached(call, stopwatch) : null;
		if (cached != null) {
			return new Claim.Replayed(cached);
		}
		Patience patience = new Patience(maxWait);
		while (true) {
			Claim claim = (call.operation().mode() == Mode.LEASED) ? lease(call, stopwatch) : acquire(call, stopwatch);
			if (claim != null) {
				return claim;
			}
			if (!awaitChange(call, patience)) {
				throw this.decisions.inProgress(call);
			}
		}
	}

	private @Nullable Claim acquire(Call call, Stopwatch stopwatch) {
		Attempt known = this.recent.ask(call);
		if (known != null) {
			return refuseOrReplay(call, known, stopwatch);
		}
		TransactionStatus transaction = begin(call);
		Attempt attempt;
		boolean acquired;
		try {
			attempt = this.store.acquire(call.identity());
			acquired = attempt.kind() == Attempt.Kind.ACQUIRED || supersede(call, attempt);
		}
		catch (RuntimeException ex) {
			rollbackQuietly(transaction, ex);
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
		this.recent.add(call);
		if (acquired) {
			OpenTransaction open = OpenTransaction.of(call.operation().name());
			Execution execution = execution(call, transaction, new Hold.OfTransaction(this.store, open), stopwatch);
			execution.enterThread();
			return execution;
		}
		end(transaction);
		return refuseOrReplay(call, attempt, stopwatch);
	}

	/**
	 * Take away what is left of an owner who died when the operation was LEASED.
	 */
	private boolean supersede(Call call, Attempt attempt) {
		return attempt.kind() == Attempt.Kind.ABANDONED && this.keeper.settings().onExpiry() == LeaseExpiry.RERUN
				&& CallDecisions.isSameRequest(call, attempt.requireRecord())
				&& this.store.supersede(attempt.requireLease());
	}

	private @Nullable Claim lease(Call call, Stopwatch stopwatch) {
		Recovery recovery = call.recovery();
		Attempt attempt = (recovery != null) ? resume(call, recovery) : takeLease(call);
		if (attempt.kind() != Attempt.Kind.ACQUIRED) {
			return refuseOrReplay(call, attempt, stopwatch);
		}
		Lease lease = attempt.requireLease();
		Progress progress = attempt.requireProgress();
		if (progress.attempts() > 1) {
			this.events.publish(
					new TakenOver(call.operation().name(), (recovery != null) ? Claimant.COMPLETER : Claimant.SENDER));
		}
		this.keeper.hold(lease);
		Hold.OfLease hold = new Hold.OfLease(this.keeper, this.fence, this.events, call.operation().name(),
				this.fence.run(this.store, lease, recovery != null));
		Execution execution = switch (call.commits()) {
			case ONCE -> execution(call, begin(call, hold), hold, stopwatch);
			case FREELY -> new LeasedExecution(this.decisions, this.events, call, hold, stopwatch);
			case IN_PHASES -> phases(call, hold, progress, stopwatch);
		};
		// After the transaction has begun, which ends with the lease itself: the fence is
		// for all others.
		execution.enterThread();
		return execution;
	}

	private Execution phases(Call call, Hold.OfLease hold, Progress progress, Stopwatch stopwatch) {
		try {
			StepResults steps = StepResults.decode(call.identity(), progress.steps(), this.codec);
			return new PhasedExecution(this.decisions, this.events, this.transactionManager, call, hold, steps,
					progress.attempts(), this.phaseSettings, this.stages, stopwatch);
		}
		catch (RuntimeException ex) {
			this.keeper.letGo(hold.run().lease());
			throw ex;
		}
	}

	/**
	 * The completer has made the claim already, for the command that has led here.
	 */
	private static Attempt resume(Call call, Recovery recovery) {
		if (!recovery.lease().identity().equals(call.identity())
				|| !MessageDigest.isEqual(recovery.fingerprint(), call.fingerprint())) {
			throw new IllegalStateException("The stored command of " + recovery.operation()
					+ " does not lead to the request that it was stored for");
		}
		return Attempt.acquired(recovery.lease(), recovery.progress());
	}

	private Attempt takeLease(Call call) {
		LeaseSettings settings = this.keeper.settings();
		try {
			Command command = call.command();
			Attempt attempt = this.store.lease(new LeaseRequest(call.identity(), call.operation().name(),
					call.fingerprint(), (command != null) ? this.commands.encode(call.identity(), command) : null,
					settings.duration(), settings.onExpiry() == LeaseExpiry.RERUN, settings.maxAttempts()));
			if (attempt.kind() == Attempt.Kind.FOUND && attempt.lease() != null) {
				// Claimed at the moment when somebody finished: the record wins.
				this.store.release(attempt.lease());
			}
			return attempt;
		}
		catch (RuntimeException ex) {
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
	}

	private @Nullable Claim refuseOrReplay(Call call, Attempt attempt, Stopwatch stopwatch) {
		Answer answer = this.decisions.decide(call, attempt, stopwatch);
		return (answer != null) ? new Claim.Replayed(answer) : null;
	}

	private Execution execution(Call call, TransactionStatus transaction, Hold hold, Stopwatch stopwatch) {
		return new TransactionalExecution(this.decisions, this.events, this.transactionManager, call, transaction, hold,
				stopwatch);
	}

	private TransactionStatus begin(Call call, Hold hold) {
		try {
			return begin(call);
		}
		catch (RuntimeException ex) {
			hold.end();
			throw ex;
		}
	}

	private TransactionStatus begin(Call call) {
		try {
			return this.transactionManager.getTransaction(DEFINITION);
		}
		catch (RuntimeException ex) {
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
	}

	private void rollbackQuietly(TransactionStatus transaction, RuntimeException cause) {
		try {
			this.transactionManager.rollback(transaction);
		}
		catch (RuntimeException ex) {
			cause.addSuppressed(ex);
		}
	}

	/**
	 * A caller's own transaction must survive that the call does not run in it.
	 */
	private void end(TransactionStatus transaction) {
		if (transaction.isNewTransaction()) {
			this.transactionManager.rollback(transaction);
		}
		else {
			this.transactionManager.commit(transaction);
		}
	}

	private boolean awaitChange(Call call, Patience patience) {
		while (patience.pause()) {
			Attempt.Kind kind = this.decisions.probe(call, StorePhase.CLAIM).kind();
			if (kind != Attempt.Kind.BUSY && kind != Attempt.Kind.HELD) {
				return true;
			}
		}
		return false;
	}

}
