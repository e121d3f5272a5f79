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
package dev.idempotency.engine.execution;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.util.Assert;

import dev.idempotency.IdempotencyNotification.Refusal;
import dev.idempotency.IdempotencyNotification.Refused;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestStuckException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.TooManyOpenRequestsException;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.StoredRecord;

/**
 * Decides about a call by the state of its record, and creates the record of its answer.
 * Publishes each decision to the listeners.
 *
 * @param store the store
 * @param transactionManager the transaction manager of the business rows
 * @param codec encodes stored content
 * @param remembered the cache of answers
 * @param retention the time that answers are kept
 * @param notifications the listeners
 * @param retryAfter the time after which a refused caller may try again
 * @param streak logs the first failure of the store
 */
public record CallDecisions(IdempotencyStore store, PlatformTransactionManager transactionManager, ContentCodec codec,
		RememberedAnswers remembered, EngineSettings.Retention retention, NotificationPublisher notifications,
		Duration retryAfter, StoreStreak streak) {

	public CallDecisions(IdempotencyStore store, PlatformTransactionManager transactionManager, ContentCodec codec,
			AnswerCache cache, EngineSettings.Retention retention, NotificationPublisher notifications,
			Duration retryAfter) {
		this(store, transactionManager, codec, new RememberedAnswers(cache, codec), retention, notifications,
				retryAfter, new StoreStreak(System::nanoTime));
	}

	/**
	 * Decides about a call that may not run now.
	 * @return its answer, or {@code null} while it is in progress
	 * @throws KeyReusedException if the key was used for another request
	 * @throws RequestStuckException if the request needs manual resolution
	 * @throws TooManyOpenRequestsException if the account has too many unfinished
	 * requests
	 */
	public @Nullable Claim decide(Call call, Attempt attempt) {
		if (attempt instanceof Attempt.Found found) {
			return replay(call, found.stored());
		}
		if (attempt instanceof Attempt.Limited) {
			refuse(call, Refusal.LIMITED);
			throw new TooManyOpenRequestsException(this.retryAfter);
		}
		if (attempt instanceof Attempt.LeasedElsewhere other) {
			requireSameRequest(call, other.fingerprint());
			if (other instanceof Attempt.Stuck) {
				refuse(call, Refusal.STUCK);
				throw new RequestStuckException();
			}
			return null;
		}
		Assert.isInstanceOf(Attempt.Busy.class, attempt, "The call may run");
		return null;
	}

	public Claim.Replayed replay(Call call, StoredRecord found) {
		requireSameRequest(call, found.fingerprint());
		Answer answer = decode(call, found);
		this.notifications.publish(new Replayed(call.operation().name(), call.elapsed(), ReplaySource.DATABASE));
		this.remembered.keep(call, found);
		return new Claim.Replayed(answer);
	}

	private Answer decode(Call call, StoredRecord found) {
		try {
			return Answer.decode(call.identity(), found.fingerprint(), found.answer(), this.codec);
		}
		catch (NotReplayableException ex) {
			refuse(call, Refusal.NOT_REPLAYABLE);
			throw ex;
		}
	}

	/**
	 * Answers a call from the cache.
	 * @return its answer, or {@code null} if the store has to be asked
	 * @throws KeyReusedException if the key was used for another request
	 */
	public Claim.@Nullable Replayed replayCached(Call call) {
		StoredRecord hit = this.remembered.cache().find(call.identity());
		if (hit == null) {
			return null;
		}
		if (hit.answer().content() == null) {
			requireSameRequest(call, hit.fingerprint());
			refuse(call, Refusal.NOT_REPLAYABLE);
			throw new NotReplayableException(null);
		}
		// Before the comparison: a codec that encrypts authenticates the whole entry,
		// including the owner of the answer.
		Answer answer = this.remembered.decode(call.identity(), hit);
		if (answer == null) {
			return null;
		}
		requireSameRequest(call, hit.fingerprint());
		this.notifications.publish(new Replayed(call.operation().name(), call.elapsed(), ReplaySource.LOCAL));
		return new Claim.Replayed(answer);
	}

	private void requireSameRequest(Call call, byte[] fingerprint) {
		if (!call.fingerprint().matches(fingerprint)) {
			refuse(call, Refusal.MISMATCHED);
			throw new KeyReusedException();
		}
	}

	/**
	 * Reads the state of a call on a separate connection.
	 */
	public Attempt probe(Call call, StorePhase phase) {
		try {
			return this.store.probe(call.identity());
		}
		catch (RuntimeException ex) {
			throw unavailable(call, phase, ex);
		}
	}

	/**
	 * Returns the answer of another delivery that has finished the call in the meantime.
	 */
	Claim.Replayed requireTheirs(Call call) {
		if (probe(call, StorePhase.RESOLVE) instanceof Attempt.Found found) {
			return replay(call, found.stored());
		}
		throw inProgress(call);
	}

	FinishedRecord toRecord(Call call, Answer answer, long token) {
		Answer kept = (call.operation().replay() == Replay.NONE) ? new Answer(answer.status(), answer.headers(), null)
				: answer;
		byte[] fingerprint = call.fingerprint().bytes();
		Duration ttl = this.retention.of(answer.status(), call.operation().ttl());
		return new FinishedRecord(call.identity(), call.operation().name(), fingerprint,
				kept.encode(call.identity(), fingerprint, ttl, this.codec), ttl, token);
	}

	public RequestInProgressException inProgress(Call call) {
		refuse(call, Refusal.IN_PROGRESS);
		return new RequestInProgressException(this.retryAfter);
	}

	private void refuse(Call call, Refusal refusal) {
		this.notifications.publish(new Refused(call.operation().name(), refusal, call.elapsed()));
	}

	/**
	 * Rolls a transaction back because of a failure.
	 */
	public void rollBack(TransactionStatus transaction, Throwable cause) {
		try {
			this.transactionManager.rollback(transaction);
		}
		catch (RuntimeException ex) {
			cause.addSuppressed(ex);
		}
	}

	/**
	 * Notes that the store has let a call run.
	 */
	public void available() {
		this.streak.succeeded();
	}

	/**
	 * Creates the exception for a conflict with another transaction: nothing is stored or
	 * executed, and a retry runs.
	 */
	StoreUnavailableException conflict(Throwable cause) {
		return new StoreUnavailableException(this.retryAfter, cause);
	}

	public StoreUnavailableException unavailable(Call call, StorePhase phase, Throwable cause) {
		this.notifications.publish(new StoreFailed(call.operation().name(), phase));
		this.streak.failed(call.operation().name(), phase, cause);
		return new StoreUnavailableException(this.retryAfter, cause);
	}

}
