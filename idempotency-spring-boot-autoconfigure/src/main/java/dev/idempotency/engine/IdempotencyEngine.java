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
import dev.idempotency.NotReplayableException;
import dev.idempotency.Replay;
import dev.idempotency.RequestInProgressException;
import dev.idempotency.ResponseCodec;
import dev.idempotency.StoreUnavailableException;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
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

	public IdempotencyEngine(IdempotencyStore store, PlatformTransactionManager transactionManager, ResponseCodec codec,
			EventPublisher events, InFlight inFlight) {
		this.store = store;
		this.transactionManager = transactionManager;
		this.format = new AnswerFormat(codec);
		this.events = events;
		this.inFlight = inFlight;
	}

	/**
	 * Claim a call. The transaction of a returned {@link Execution} is open on the
	 * current thread; after anything else no connection is held.
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
			TransactionStatus transaction = begin(call);
			Attempt attempt = acquire(call, transaction);
			if (attempt.kind() == Attempt.Kind.ACQUIRED) {
				return new TransactionalExecution(this, call, transaction, stopwatch);
			}
			end(transaction);
			if (attempt.kind() == Attempt.Kind.FOUND) {
				return new Claim.Replayed(replay(call, attempt.requireRecord(), stopwatch));
			}
			if (!awaitChange(call, patience)) {
				throw inProgress(call);
			}
		}
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
			if (probe(call, StorePhase.CLAIM).kind() != Attempt.Kind.BUSY) {
				return true;
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

	Answer replay(Call call, StoredRecord found, Stopwatch stopwatch) {
		if (!MessageDigest.isEqual(found.fingerprint(), call.fingerprint())) {
			this.events.publish(new Mismatched(call.operation().name()));
			throw new KeyReusedException();
		}
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

	EventPublisher events() {
		return this.events;
	}

}
