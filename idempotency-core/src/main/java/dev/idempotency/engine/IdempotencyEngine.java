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
import java.util.List;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyNotification.Claimant;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.Hold;
import dev.idempotency.engine.execution.Patience;
import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.engine.transaction.OpenTransaction;
import dev.idempotency.engine.transaction.RequestTransactions;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.observation.IdempotencyObservation.Event;
import dev.idempotency.observation.IdempotencyObservation.Outcome;
import dev.idempotency.observation.RequestObservation;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;
import dev.idempotency.store.UnfinishedStore.Recovery;

/**
 * Claims calls. Each delivery of a call is executed, answered with the stored answer, or
 * refused.
 */
public final class IdempotencyEngine {

	private static final TransactionDefinition DEFINITION = new DefaultTransactionDefinition();

	private final CallDecisions decisions;

	private final LeaseKeeper keeper;

	private final RequestTransactions transactions;

	private final TransactionKeys keys;

	private final RecentCalls recent;

	private final EngineSettings.Phases phases;

	private final Duration maxWait;

	private final ObservationRegistry observations;

	/**
	 * Creates an engine.
	 * @param store the store; without leases only operations in mode TRANSACTIONAL can
	 * run
	 * @param transactionManager the transaction manager of the business rows
	 * @param codec encodes answers for the store
	 * @param cache the cache of finished calls
	 * @param notifications publishes decisions
	 * @param keeper the heartbeat of leases
	 * @param transactions watches the transactions of the business rows
	 * @param observations the registry of the observations of calls
	 * @param settings the settings
	 */
	public IdempotencyEngine(IdempotencyStore store, PlatformTransactionManager transactionManager, ContentCodec codec,
			AnswerCache cache, NotificationPublisher notifications, LeaseKeeper keeper,
			RequestTransactions transactions, ObservationRegistry observations, EngineSettings settings) {
		this.decisions = new CallDecisions(store, transactionManager, codec, cache, settings.retention(), notifications,
				settings.inFlight().retryAfter());
		this.keeper = keeper;
		this.transactions = transactions;
		this.keys = new TransactionKeys();
		this.recent = new RecentCalls(this.decisions);
		this.phases = settings.phases();
		this.maxWait = settings.inFlight().maxWait();
		this.observations = observations;
	}

	/**
	 * Claims a call. If the result is the {@link Execution} of a transactional call, its
	 * transaction is open on the current thread; otherwise no connection is held.
	 * @param call the call
	 * @return the right to execute it, or its answer
	 * @throws KeyReusedException if the key was used for another request
	 * @throws RequestInProgressException if another delivery is running
	 * @throws NotReplayableException if the call was executed and its answer was not kept
	 * @throws StoreUnavailableException if the store cannot be queried
	 */
	public Claim claim(Call call) {
		return claim(call, this.maxWait);
	}

	/**
	 * Claims a call as {@link #claim(Call)} does, with another maximum wait.
	 * @param call the call
	 * @param maxWait the time to wait for a running delivery, zero not to wait
	 * @return the right to execute it, or its answer
	 */
	public Claim claim(Call call, Duration maxWait) {
		Call observed = call.observedIn(this.observations);
		RequestObservation observation = observed.observation();
		Claim claim;
		try (Scope scope = observation.openScope()) {
			claim = decide(observed, maxWait);
		}
		catch (RuntimeException | Error ex) {
			observation.end(ex);
			throw ex;
		}
		if (claim instanceof Execution) {
			observation.event(Event.CLAIMED);
			this.decisions.available();
		}
		else {
			observation.end(Outcome.REPLAYED);
		}
		return claim;
	}

	/**
	 * Claims several calls that run in one transaction.
	 * @param calls transactional calls of different identities, at least one
	 * @param maxWait the time to wait for a running delivery of any of them
	 * @return the batch, with its transaction open on the current thread
	 * @throws RefusedCallException if a call is refused; nothing is held then
	 * @throws StoreUnavailableException if the store cannot be queried
	 */
	public CallBatch claimAll(List<Call> calls, Duration maxWait) {
		CallBatch batch = new BatchClaims(this.decisions, this, this.keys).claim(calls, maxWait);
		this.decisions.available();
		return batch;
	}

	/**
	 * Returns the largest number of calls that can be claimed together.
	 * @return the limit of {@link #claimAll}
	 */
	public int maxBatch() {
		return TransactionKeys.MAX;
	}

	private Claim decide(Call call, Duration maxWait) {
		Claim cached = (call.recovery() == null) ? this.decisions.replayCached(call) : null;
		if (cached != null) {
			return cached;
		}
		Claim claim = claimNow(call);
		if (claim != null) {
			return claim;
		}
		Patience patience = new Patience(maxWait);
		while (awaitChange(call, patience)) {
			claim = claimNow(call);
			if (claim != null) {
				return claim;
			}
		}
		throw this.decisions.inProgress(call);
	}

	private @Nullable Claim claimNow(Call call) {
		return (call.operation().mode() == Mode.LEASED) ? claimLease(call) : claimInTransaction(call);
	}

	private boolean awaitChange(Call call, Patience patience) {
		while (patience.pause()) {
			Attempt attempt = this.decisions.probe(call, StorePhase.CLAIM);
			if (!(attempt instanceof Attempt.Busy || attempt instanceof Attempt.Held)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Claims a call in mode TRANSACTIONAL: the claim is the first statement in the
	 * transaction of the business rows, and ends with it.
	 * @return the right to execute it, with its transaction open on the current thread,
	 * or its answer; {@code null} while another delivery is running
	 */
	private @Nullable Claim claimInTransaction(Call call) {
		Attempt known = this.recent.ask(call);
		if (known != null) {
			return this.decisions.decide(call, known);
		}
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			this.keys.add(call.operation().name(), 1);
		}
		TransactionStatus transaction = begin(call);
		Attempt attempt;
		boolean acquired;
		try {
			attempt = this.decisions.store().acquire(call.identity());
			acquired = attempt instanceof Attempt.Acquired || supersede(call, attempt);
		}
		catch (RuntimeException ex) {
			this.decisions.rollBack(transaction, ex);
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
		this.recent.add(call);
		if (acquired) {
			return enter(call, transaction);
		}
		end(transaction);
		return this.decisions.decide(call, attempt);
	}

	/**
	 * Removes the expired lease of an owner that died while the operation was LEASED.
	 */
	private boolean supersede(Call call, Attempt attempt) {
		return attempt instanceof Attempt.Abandoned abandoned && this.keeper.settings().onExpiry() == LeaseExpiry.RERUN
				&& call.fingerprint().matches(abandoned.fingerprint())
				&& this.decisions.store() instanceof LeaseStore leaseStore && leaseStore.supersede(abandoned.lease());
	}

	/**
	 * Executes a call in the open transaction, which holds its lock.
	 */
	Execution join(Call call) {
		return enter(call, begin(call));
	}

	private Execution enter(Call call, TransactionStatus transaction) {
		Hold hold = new Hold.OfLock(this.decisions.store(), OpenTransaction.of(call.operation().name()));
		Execution execution = new Execution(this.decisions, call, hold, transaction);
		execution.enterThread();
		return execution;
	}

	/**
	 * Opens a transaction for a call that is already claimed.
	 */
	private Execution openTransaction(Call call, Hold.OfLease hold) {
		TransactionStatus transaction = begin(call);
		try {
			hold.run().holdUntilAnswered();
		}
		catch (LeaseLostException ex) {
			this.decisions.rollBack(transaction, ex);
			throw ex;
		}
		catch (RuntimeException ex) {
			this.decisions.rollBack(transaction, ex);
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
		return new Execution(this.decisions, call, hold, transaction);
	}

	TransactionStatus begin(Call call) {
		TransactionStatus transaction;
		try {
			transaction = this.decisions.transactionManager().getTransaction(DEFINITION);
		}
		catch (RuntimeException ex) {
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			InvalidIdempotentException refused = new InvalidIdempotentException(
					"The transaction of " + call.operation().name() + " has no synchronization, so that neither its "
							+ "statements nor its commit can be joined by the record.",
					"Use a transaction manager that initializes transaction synchronization.");
			this.decisions.rollBack(transaction, refused);
			throw refused;
		}
		return transaction;
	}

	/**
	 * Ends a transaction in which nothing has run, without a rollback of the caller's
	 * transaction.
	 */
	void end(TransactionStatus transaction) {
		if (transaction.isNewTransaction()) {
			this.decisions.transactionManager().rollback(transaction);
		}
		else {
			this.decisions.transactionManager().commit(transaction);
		}
	}

	/**
	 * Claims a call in mode LEASED: the claim is committed before anything runs, and
	 * heartbeats extend it.
	 * @return the right to execute it, or its answer; {@code null} while another delivery
	 * is running
	 */
	private @Nullable Claim claimLease(Call delivered) {
		LeaseStore leases = requireLeases(delivered);
		Recovery recovery = delivered.recovery();
		Attempt known = (recovery == null) ? this.recent.ask(delivered) : null;
		if (known != null) {
			return this.decisions.decide(delivered, known);
		}
		Call call = delivered;
		Attempt attempt = (recovery != null) ? resume(call, recovery) : takeLease(leases, call);
		if (attempt instanceof Attempt.Abandoned abandoned && isInEarlierForm(call, abandoned.fingerprint())) {
			call = call.storedAs(abandoned.fingerprint());
			attempt = takeLease(leases, call);
		}
		this.recent.add(call);
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
		Hold.OfLease hold = new Hold.OfLease(this.keeper, this.transactions, this.decisions.notifications(),
				new FencedRun(leases, lease, call.operation().name(), recovery != null, this.transactions.run()));
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
			return openTransaction(call, hold);
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
			return new PhasedWork(this.decisions, call, hold, steps, this.phases).execution();
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

	private Attempt takeLease(LeaseStore leases, Call call) {
		LeaseKeeper.Settings settings = this.keeper.settings();
		try {
			Command command = call.command();
			byte[] fingerprint = call.fingerprint().bytes();
			return leases.lease(
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

	private LeaseStore requireLeases(Call call) {
		if (this.decisions.store() instanceof LeaseStore leases) {
			return leases;
		}
		throw LeaseKeeper.withoutLeases(call.operation().name());
	}

}
