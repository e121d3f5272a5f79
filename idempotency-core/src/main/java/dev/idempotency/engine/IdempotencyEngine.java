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

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.Patience;
import dev.idempotency.engine.lease.LeaseFence;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.observation.IdempotencyObservation.Event;
import dev.idempotency.observation.IdempotencyObservation.Outcome;
import dev.idempotency.observation.RequestObservation;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore;

/**
 * Claims calls. Each delivery of a call is executed, answered with the stored answer, or
 * refused.
 */
public final class IdempotencyEngine {

	private final CallDecisions decisions;

	private final TransactionalClaims transactional;

	private final @Nullable LeasedClaims leased;

	private final BatchClaims batches;

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
	 * @param fence the guard of the transactions of leased runs, a listener of the
	 * transaction manager
	 * @param observations the registry of the observations of calls
	 * @param settings the settings
	 */
	public IdempotencyEngine(IdempotencyStore store, PlatformTransactionManager transactionManager, ContentCodec codec,
			AnswerCache cache, NotificationPublisher notifications, LeaseKeeper keeper, LeaseFence fence,
			ObservationRegistry observations, EngineSettings settings) {
		TransactionKeys keys = new TransactionKeys(settings.maxKeys());
		this.decisions = new CallDecisions(store, transactionManager, codec, cache, settings.retention(), notifications,
				settings.inFlight().retryAfter());
		this.transactional = new TransactionalClaims(this.decisions, keeper.settings(), keys,
				new RecentCalls(this.decisions));
		this.leased = (store instanceof LeaseStore leases)
				? new LeasedClaims(leases, this.decisions, this.transactional, keeper, fence, settings.phases()) : null;
		this.batches = new BatchClaims(this.decisions, this.transactional, keys);
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
		CallBatch batch = this.batches.claim(calls, maxWait);
		this.decisions.available();
		return batch;
	}

	/**
	 * Returns the largest number of calls that can be claimed together.
	 * @return the limit of {@link #claimAll}
	 */
	public int maxBatch() {
		return this.batches.keys().max();
	}

	private Claim decide(Call call, Duration maxWait) {
		Claim cached = (call.recovery() == null) ? this.decisions.replayCached(call) : null;
		if (cached != null) {
			return cached;
		}
		Patience patience = new Patience(maxWait);
		while (true) {
			Claim claim = (call.operation().mode() == Mode.LEASED) ? requireLeased(call).claim(call)
					: this.transactional.claim(call);
			if (claim != null) {
				return claim;
			}
			if (!awaitChange(call, patience)) {
				throw this.decisions.inProgress(call);
			}
		}
	}

	private LeasedClaims requireLeased(Call call) {
		if (this.leased == null) {
			throw LeaseKeeper.withoutLeases(call.operation().name());
		}
		return this.leased;
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

}
