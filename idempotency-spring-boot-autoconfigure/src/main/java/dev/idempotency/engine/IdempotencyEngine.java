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

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import dev.idempotency.IdempotencyEvent.Mismatched;
import dev.idempotency.IdempotencyEvent.RefusedInProgress;
import dev.idempotency.IdempotencyEvent.Replayed;
import dev.idempotency.IdempotencyEvent.StoreFailed;
import dev.idempotency.IdempotencyEvent.StorePhase;
import dev.idempotency.KeyReusedException;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.Mode;
import dev.idempotency.NotReplayableException;
import dev.idempotency.Replay;
import dev.idempotency.RequestInProgressException;
import dev.idempotency.ResponseCodec;
import dev.idempotency.StoreUnavailableException;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.StoredRecord;

/**
 * Decides for each delivery of a call whether it runs, gets the stored answer or is
 * refused.
 */
public final class IdempotencyEngine {

	private static final TransactionDefinition DEFINITION = new DefaultTransactionDefinition();

	private final IdempotencyStore store;

	private final PlatformTransactionManager transactionManager;

	private final AnswerFormat format;

	private final EventPublisher events;

	private final InFlight inFlight;

	private final LeaseKeeper keeper;

	private final LeaseFence fence;

	/**
	 * Create an engine.
	 * @param store the store
	 * @param transactionManager the transaction manager of the business rows
	 * @param codec how answers are stored
	 * @param events who is told
	 * @param inFlight what duplicates of a running call do
	 * @param keeper the heartbeat of leases
	 * @param fence the guard of transactions of leased runs, which the transaction
	 * manager has to know
	 */
	public IdempotencyEngine(IdempotencyStore store, PlatformTransactionManager transactionManager, ResponseCodec codec,
			EventPublisher events, InFlight inFlight, LeaseKeeper keeper, LeaseFence fence) {
		this.store = store;
		this.transactionManager = transactionManager;
		this.format = new AnswerFormat(codec);
		this.events = events;
		this.inFlight = inFlight;
		this.keeper = keeper;
		this.fence = fence;
	}

	/**
	 * Claim a call. The transaction of a returned TRANSACTIONAL {@link Execution} is open
	 * on the current thread; after anything else no connection is held.
	 * @param call the call
	 * @return the right to execute it, or its answer
	 * @throws KeyReusedException if the key stands for another request
	 * @throws RequestInProgressException if another delivery is running
	 * @throws NotReplayableException if it was executed and its answer was not kept
	 * @throws StoreUnavailableException if the store cannot be asked
	 */
	public Claim claim(Call call) {
		Stopwatch stopwatch = Stopwatch.start();
		Patience patience = new Patience(this.inFlight.maxWait());
		while (true) {
			Claim claim = (call.operation().mode() == Mode.LEASED) ? lease(call, stopwatch) : acquire(call, stopwatch);
			if (claim != null) {
				return claim;
			}
			if (!awaitChange(call, patience)) {
				throw inProgress(call);
			}
		}
	}

	private @Nullable Claim acquire(Call call, Stopwatch stopwatch) {
		TransactionStatus transaction = begin(call);
		Attempt attempt = acquire(call, transaction);
		if (attempt.kind() == Attempt.Kind.ACQUIRED) {
			return new TransactionalExecution(this, call, transaction, new Hold.OfTransaction(this.store), stopwatch);
		}
		if (attempt.kind() == Attempt.Kind.ABANDONED && supersede(call, attempt, transaction)) {
			return new TransactionalExecution(this, call, transaction, new Hold.OfTransaction(this.store), stopwatch);
		}
		end(transaction);
		return decide(call, attempt, stopwatch);
	}

	/**
	 * The operation was LEASED when its owner died.
	 */
	private boolean supersede(Call call, Attempt attempt, TransactionStatus transaction) {
		if (this.keeper.settings().onExpiry() != LeaseExpiry.RERUN || !isSameRequest(call, attempt.requireRecord())) {
			return false;
		}
		try {
			return this.store.supersede(attempt.requireLease());
		}
		catch (RuntimeException ex) {
			rollbackQuietly(transaction, ex);
			throw unavailable(call, StorePhase.CLAIM, ex);
		}
	}

	private @Nullable Claim lease(Call call, Stopwatch stopwatch) {
		Attempt attempt = takeLease(call);
		if (attempt.kind() != Attempt.Kind.ACQUIRED) {
			if (attempt.kind() == Attempt.Kind.FOUND && attempt.lease() != null) {
				this.store.release(attempt.lease());
			}
			return decide(call, attempt, stopwatch);
		}
		Lease lease = attempt.requireLease();
		this.keeper.hold(lease);
		Hold hold = new Hold.OfLease(this.store, this.keeper, this.events, call.operation().name(), lease);
		if (call.transactional()) {
			return new TransactionalExecution(this, call, begin(call, hold), hold, stopwatch);
		}
		Execution execution = new LeasedExecution(this, call, lease, hold, stopwatch);
		execution.enterThread();
		return execution;
	}

	/**
	 * A claim that waited behind somebody's commit may find neither a lease nor a record.
	 */
	private Attempt takeLease(Call call) {
		LeaseSettings settings = this.keeper.settings();
		LeaseRequest request = new LeaseRequest(call.identity(), call.operation().name(), call.fingerprint(),
				settings.duration(), settings.onExpiry() == LeaseExpiry.RERUN);
		try {
			return this.store.lease(request);
		}
		catch (RuntimeException ex) {
			throw unavailable(call, StorePhase.CLAIM, ex);
		}
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

	/**
	 * Decide what a call gets that may not run now.
	 * @return its answer, or {@code null} if it is in progress
	 */
	private @Nullable Claim decide(Call call, Attempt attempt, Stopwatch stopwatch) {
		return switch (attempt.kind()) {
			case FOUND -> new Claim.Replayed(replay(call, attempt.requireRecord(), stopwatch));
			case HELD, ABANDONED -> {
				requireSameRequest(call, attempt.requireRecord());
				yield null;
			}
			case BUSY -> null;
			case ACQUIRED -> throw new IllegalArgumentException("The call may run");
		};
	}

	private TransactionStatus begin(Call call) {
		try {
			return this.transactionManager.getTransaction(DEFINITION);
		}
		catch (RuntimeException ex) {
			throw unavailable(call, StorePhase.CLAIM, ex);
		}
	}

	private Attempt acquire(Call call, TransactionStatus transaction) {
		try {
			return this.store.acquire(call.identity());
		}
		catch (RuntimeException ex) {
			rollbackQuietly(transaction, ex);
			throw unavailable(call, StorePhase.CLAIM, ex);
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
			switch (probe(call, StorePhase.CLAIM).kind()) {
				case FOUND, ACQUIRED, ABANDONED -> {
					return true;
				}
				case BUSY, HELD -> {
					continue;
				}
			}
		}
		return false;
	}

	Attempt probe(Call call, StorePhase phase) {
		try {
			return this.store.probe(call.identity());
		}
		catch (RuntimeException ex) {
			throw unavailable(call, phase, ex);
		}
	}

	private static boolean isSameRequest(Call call, StoredRecord found) {
		return MessageDigest.isEqual(found.fingerprint(), call.fingerprint());
	}

	private void requireSameRequest(Call call, StoredRecord found) {
		if (!isSameRequest(call, found)) {
			this.events.publish(new Mismatched(call.operation().name()));
			throw new KeyReusedException();
		}
	}

	Answer replay(Call call, StoredRecord found, Stopwatch stopwatch) {
		requireSameRequest(call, found);
		StoredAnswer stored = found.answer();
		if (stored == null) {
			throw inProgress(call);
		}
		Answer answer = this.format.decode(call.identity(), stored);
		this.events.publish(new Replayed(call.operation().name(), stopwatch.elapsed()));
		return answer;
	}

	FinishedRecord toRecord(Call call, Answer answer) {
		Answer kept = (call.operation().replay() == Replay.NONE) ? new Answer(answer.status(), answer.headers(), null)
				: answer;
		return new FinishedRecord(call.identity(), call.operation().name(), call.fingerprint(),
				this.format.encode(call.identity(), kept), call.operation().ttl());
	}

	private RequestInProgressException inProgress(Call call) {
		this.events.publish(new RefusedInProgress(call.operation().name()));
		return new RequestInProgressException(this.inFlight.retryAfter());
	}

	StoreUnavailableException unavailable(Call call, StorePhase phase, Throwable cause) {
		this.events.publish(new StoreFailed(call.operation().name(), phase));
		return new StoreUnavailableException(retryAfter(), cause);
	}

	Duration retryAfter() {
		return this.inFlight.retryAfter();
	}

	IdempotencyStore store() {
		return this.store;
	}

	PlatformTransactionManager transactionManager() {
		return this.transactionManager;
	}

	LeaseKeeper keeper() {
		return this.keeper;
	}

	LeaseFence fence() {
		return this.fence;
	}

	EventPublisher events() {
		return this.events;
	}

}
