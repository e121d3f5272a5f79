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
import java.util.function.Supplier;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.IdempotencyNotification.Claimant;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.ReplayAuthorizer.ReplayAttempt;
import dev.idempotency.engine.RequestTransactions.OpenTransaction;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.observation.IdempotencyObservation;
import dev.idempotency.observation.IdempotencyObservation.Outcome;
import dev.idempotency.observation.RequestObservation;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.UnfinishedStore.Recovery;

/**
 * Claims requests. Each delivery of a request is executed, answered with the stored
 * response, or refused.
 */
public final class IdempotencyEngine {

	private static final TransactionDefinition DEFINITION = new DefaultTransactionDefinition();

	private final IdempotencyStore store;

	private final PlatformTransactionManager transactionManager;

	private final DuplicateHandler duplicates;

	private final LeaseKeeper keeper;

	private final RequestTransactions transactions;

	private final TransactionKeys keys;

	private final Duration maxWait;

	private final EngineSettings.Lease leases;

	private final ObservationRegistry observations;

	private final SingletonSupplier<List<ReplayAuthorizer>> authorizers;

	/**
	 * Creates an engine.
	 * @param store the store; without leases only operations in mode TRANSACTIONAL can
	 * run
	 * @param transactionManager the transaction manager of the business rows
	 * @param codec encodes answers for the store
	 * @param cache the cache of finished requests
	 * @param notifications publishes decisions
	 * @param keeper the heartbeat of leases
	 * @param transactions watches the transactions of the business rows
	 * @param observations the registry of the observations of requests
	 * @param authorizers supplies the authorizers of the application, usually none, at
	 * the first replay: they may depend on protected beans
	 * @param settings the settings
	 */
	public IdempotencyEngine(IdempotencyStore store, PlatformTransactionManager transactionManager, ContentCodec codec,
			ResponseCache cache, NotificationPublisher notifications, LeaseKeeper keeper,
			RequestTransactions transactions, ObservationRegistry observations,
			Supplier<List<ReplayAuthorizer>> authorizers, EngineSettings settings) {
		this.store = store;
		this.transactionManager = transactionManager;
		this.duplicates = new DuplicateHandler(store, transactionManager, codec, cache, settings, notifications);
		this.keeper = keeper;
		this.transactions = transactions;
		this.keys = new TransactionKeys();
		this.maxWait = settings.maxWait();
		this.leases = settings.lease();
		this.observations = observations;
		this.authorizers = SingletonSupplier.of(authorizers);
	}

	/**
	 * Claims a request. If the result is the {@link Execution} of a transactional
	 * request, its transaction is open on the current thread; otherwise no connection is
	 * held.
	 * @param request the request
	 * @return the right to execute it, or its response
	 * @throws KeyReusedException if the key was used for another request
	 * @throws RequestInProgressException if another delivery is running
	 * @throws NotReplayableException if the request was executed and its response was not
	 * kept
	 * @throws StoreUnavailableException if the store cannot be queried
	 */
	public Claim claim(ClaimRequest request) {
		return claim(request, this.maxWait);
	}

	/**
	 * Claims a request as {@link #claim(ClaimRequest)} does, with another maximum wait.
	 * @param request the request
	 * @param maxWait the time to wait for a running delivery, zero not to wait
	 * @return the right to execute it, or its response
	 */
	public Claim claim(ClaimRequest request, Duration maxWait) {
		IdempotentOperation operation = request.operation();
		RequestObservation observation = RequestObservation.start(this.observations,
				(request.recovery() != null) ? IdempotencyObservation.RECOVER : IdempotencyObservation.REQUEST,
				operation.name(), operation.mode());
		Claim claim;
		try (Scope scope = observation.openScope()) {
			claim = decide(request, maxWait);
		}
		catch (RuntimeException | Error ex) {
			observation.end(ex);
			throw ex;
		}
		if (claim instanceof Execution execution) {
			execution.observedBy(observation);
			this.duplicates.available();
		}
		else {
			observation.end(Outcome.REPLAYED);
		}
		return claim;
	}

	/**
	 * Requires that all authorizers of the application agree to a replay.
	 * @param attempt supplies the replay, if there are authorizers
	 * @throws RuntimeException if one of them refuses
	 */
	public void requireAuthorized(Supplier<ReplayAttempt> attempt) {
		List<ReplayAuthorizer> all = this.authorizers.obtain();
		if (!all.isEmpty()) {
			ReplayAttempt replay = attempt.get();
			all.forEach((authorizer) -> authorizer.authorize(replay));
		}
	}

	/**
	 * Claims several requests that run in one transaction.
	 * @param requests transactional requests of different identities, at least one
	 * @param maxWait the time to wait for a running delivery of any of them
	 * @return the batch, with its transaction open on the current thread
	 * @throws RefusedRequestException if a request is refused; nothing is held then
	 * @throws StoreUnavailableException if the store cannot be queried
	 */
	public RequestBatch claimAll(List<ClaimRequest> requests, Duration maxWait) {
		RequestBatch batch = RequestBatch.claim(this, this.duplicates, this.keys, requests, maxWait);
		this.duplicates.available();
		return batch;
	}

	/**
	 * Returns the largest number of requests that can be claimed together.
	 * @return the limit of {@link #claimAll}
	 */
	public int maxBatch() {
		return TransactionKeys.MAX;
	}

	private Claim decide(ClaimRequest request, Duration maxWait) {
		StoredResponse cached = this.duplicates.replayCached(request);
		if (cached != null) {
			return new Claim.Replayed(cached);
		}
		Claim claim = claimNow(request);
		if (claim != null) {
			return claim;
		}
		BoundedBackoff backoff = new BoundedBackoff(maxWait);
		while (awaitChange(request, backoff)) {
			claim = claimNow(request);
			if (claim != null) {
				return claim;
			}
		}
		throw this.duplicates.inProgress(request);
	}

	private @Nullable Claim claimNow(ClaimRequest request) {
		return (request.operation().mode() == Mode.LEASED) ? claimLease(request) : claimInTransaction(request);
	}

	private boolean awaitChange(ClaimRequest request, BoundedBackoff backoff) {
		while (backoff.pause()) {
			ClaimResult result = this.duplicates.probe(request, StorePhase.CLAIM);
			if (!(result instanceof ClaimResult.Busy || result instanceof ClaimResult.Held)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Claims a request in mode TRANSACTIONAL: the claim is the first statement in the
	 * transaction of the business rows, and ends with it.
	 * @return the right to execute it, with its transaction open on the current thread,
	 * or its response; {@code null} while another delivery is running
	 */
	private @Nullable Claim claimInTransaction(ClaimRequest request) {
		ClaimResult known = this.duplicates.probeIfSeen(request);
		if (known != null) {
			return this.duplicates.decide(request, known);
		}
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			this.keys.add(request.operation().name(), 1);
		}
		// Before a connection is held: a body may be large.
		request.fingerprint().bytes();
		TransactionStatus transaction = begin(request);
		ClaimResult result;
		boolean acquired;
		try {
			result = this.store.acquire(request.identity());
			acquired = result instanceof ClaimResult.Acquired || supersede(request, result);
		}
		catch (RuntimeException ex) {
			this.duplicates.rollBack(transaction, ex);
			throw this.duplicates.unavailable(request, StorePhase.CLAIM, ex);
		}
		if (acquired) {
			return enter(request, transaction);
		}
		end(transaction);
		return this.duplicates.decide(request, result);
	}

	/**
	 * Removes the expired lease of an owner that died while the operation was LEASED.
	 */
	private boolean supersede(ClaimRequest request, ClaimResult result) {
		return result instanceof ClaimResult.Abandoned abandoned && this.leases.onExpiry() == LeaseExpiry.RERUN
				&& request.fingerprint().matches(abandoned.fingerprint()) && this.store instanceof LeaseStore leaseStore
				&& leaseStore.supersede(abandoned.lease());
	}

	/**
	 * Executes a request in the open transaction, which holds its lock.
	 */
	Execution join(ClaimRequest request) {
		return enter(request, begin(request));
	}

	private Execution enter(ClaimRequest request, TransactionStatus transaction) {
		Hold hold = new Hold.OfLock(this.store, new OpenTransaction(request.operation().name()),
				FinishedRecord.newToken());
		Execution execution = new Execution(this.duplicates, request, hold, transaction);
		execution.enterThread();
		return execution;
	}

	/**
	 * Opens a transaction for a request that is already claimed.
	 */
	private Execution openTransaction(ClaimRequest request, Hold.OfLease hold) {
		TransactionStatus transaction = begin(request);
		try {
			hold.run().holdUntilAnswered();
		}
		catch (LeaseLostException ex) {
			this.duplicates.rollBack(transaction, ex);
			throw ex;
		}
		catch (RuntimeException ex) {
			this.duplicates.rollBack(transaction, ex);
			throw this.duplicates.unavailable(request, StorePhase.CLAIM, ex);
		}
		return new Execution(this.duplicates, request, hold, transaction);
	}

	TransactionStatus begin(ClaimRequest request) {
		TransactionStatus transaction;
		try {
			transaction = this.transactionManager.getTransaction(DEFINITION);
		}
		catch (RuntimeException ex) {
			throw this.duplicates.unavailable(request, StorePhase.CLAIM, ex);
		}
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			InvalidIdempotentException refused = new InvalidIdempotentException(
					"The transaction of " + request.operation().name() + " has no synchronization, so that neither its "
							+ "statements nor its commit can be joined by the record.",
					"Use a transaction manager that initializes transaction synchronization.");
			this.duplicates.rollBack(transaction, refused);
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
			this.transactionManager.rollback(transaction);
		}
		else {
			this.transactionManager.commit(transaction);
		}
	}

	/**
	 * Claims a request in mode LEASED: the claim is committed before anything runs, and
	 * heartbeats extend it.
	 * @return the right to execute it, or its response; {@code null} while another
	 * delivery is running
	 */
	private @Nullable Claim claimLease(ClaimRequest delivered) {
		LeaseStore leases = requireLeases(delivered);
		Recovery recovery = delivered.recovery();
		ClaimResult known = (recovery == null) ? this.duplicates.probeIfSeen(delivered) : null;
		if (known != null) {
			return this.duplicates.decide(delivered, known);
		}
		ClaimRequest request = delivered;
		ClaimResult result = (recovery != null) ? resume(request, recovery) : takeLease(leases, request);
		if (result instanceof ClaimResult.Abandoned abandoned
				&& isStoredInAnotherForm(request, abandoned.fingerprint())) {
			request = request.storedAs(abandoned.fingerprint());
			result = takeLease(leases, request);
		}
		if (!(result instanceof ClaimResult.Leased leased)) {
			return this.duplicates.decide(request, result);
		}
		Lease lease = leased.lease();
		Progress progress = leased.progress();
		if (progress.attempts() > 1) {
			this.duplicates.notifications()
				.publish(new TakenOver(request.operation().name(),
						(recovery != null) ? Claimant.COMPLETER : Claimant.SENDER));
		}
		this.keeper.startHeartbeat(lease);
		Hold.OfLease hold = new Hold.OfLease(this.keeper, this.transactions, this.duplicates.notifications(),
				new FencedRun(leases, this.keeper, lease, request.operation().name(), recovery != null,
						this.transactions.run()));
		Execution execution = switch (request.commits()) {
			case ONCE -> inTransaction(request, hold);
			case FREELY -> new Execution(this.duplicates, request, hold, null);
			case IN_PHASES -> phases(request, hold, progress);
		};
		// After the transaction of the response has begun: it ends the lease, and the
		// fence
		// applies only to other transactions.
		execution.enterThread();
		return execution;
	}

	/**
	 * Returns whether the abandoned request is this one with other stored bytes: it was
	 * sent in another spelling, or before a rotation of the secret. Stores compare
	 * fingerprints only by their bytes when they take a claim over.
	 */
	private static boolean isStoredInAnotherForm(ClaimRequest request, byte[] stored) {
		return !request.fingerprint().isStoredAs(stored) && request.fingerprint().matches(stored);
	}

	private Execution inTransaction(ClaimRequest request, Hold.OfLease hold) {
		try {
			return openTransaction(request, hold);
		}
		catch (RuntimeException | Error ex) {
			hold.end(Resumption.ANYBODY);
			throw ex;
		}
	}

	private Execution phases(ClaimRequest request, Hold.OfLease hold, Progress progress) {
		try {
			StepResults steps = StepResults.decode(request.identity(), request.fingerprint().bytes(), progress.steps(),
					this.duplicates.codec());
			return new PhasedWork(this.duplicates, request, hold, steps).execution();
		}
		catch (RuntimeException | Error ex) {
			this.keeper.stopHeartbeat(hold.run().lease());
			throw ex;
		}
	}

	/**
	 * Uses the claim that the completer has made for this command.
	 */
	private static ClaimResult resume(ClaimRequest request, Recovery recovery) {
		if (!recovery.lease().identity().equals(request.identity())
				|| !request.fingerprint().isStoredAs(recovery.fingerprint())) {
			throw new IllegalStateException(
					"The stored command of " + recovery.operation() + " belongs to another request");
		}
		return new ClaimResult.Leased(recovery.lease(), recovery.progress());
	}

	private ClaimResult takeLease(LeaseStore leases, ClaimRequest request) {
		try {
			Command command = request.command();
			byte[] fingerprint = request.fingerprint().bytes();
			return leases
				.lease(new LeaseRequest(request.identity(), request.operation().name(), fingerprint,
						(command != null) ? command.encode(request.identity(), fingerprint, this.duplicates.codec())
								: null,
						this.leases.duration(), this.leases.onExpiry() == LeaseExpiry.RERUN, this.leases.maxAttempts(),
						this.leases.limits()));
		}
		catch (RuntimeException ex) {
			throw this.duplicates.unavailable(request, StorePhase.CLAIM, ex);
		}
	}

	private LeaseStore requireLeases(ClaimRequest request) {
		if (this.store instanceof LeaseStore leases) {
			return leases;
		}
		throw LeaseKeeper.withoutLeases(request.operation().name());
	}

}
