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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.Refusal;
import dev.idempotency.IdempotencyNotification.Refused;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestStuckException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.TooManyOpenRequestsException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;

/**
 * Decides about a request by the state of its record, and creates the record of its
 * response. Publishes each decision to the listeners.
 *
 * @param store the store
 * @param transactionManager the transaction manager of the business rows
 * @param codec encodes stored content
 * @param cache the cache of finished requests
 * @param settings the settings of the engine
 * @param notifications the listeners
 * @param failures logs the first failure of the store
 * @param recent the requests that this node has recently seen, by the numbers of their
 * locks
 */
record DuplicateHandler(IdempotencyStore store, PlatformTransactionManager transactionManager, ContentCodec codec,
		ResponseCache cache, EngineSettings settings, NotificationPublisher notifications, StoreFailureLog failures,
		AtomicLongArray recent) {

	private static final Log logger = LogFactory.getLog(DuplicateHandler.class);

	/**
	 * Number of recent requests, a power of two: 512 KB, or a minute at a thousand
	 * requests a second.
	 */
	private static final int RECENT = 1 << 16;

	DuplicateHandler(IdempotencyStore store, PlatformTransactionManager transactionManager, ContentCodec codec,
			ResponseCache cache, EngineSettings settings, NotificationPublisher notifications) {
		this(store, transactionManager, codec, cache, settings, notifications, new StoreFailureLog(System::nanoTime),
				new AtomicLongArray(RECENT));
	}

	/**
	 * Reads the state of a request that this node has seen before, and remembers that it
	 * has seen it: it is most likely a duplicate, and if the store reads its state in one
	 * message, this saves the message that would end a transaction. A wrong guess costs a
	 * round trip. Requests that were displaced, or executed on other nodes, are claimed
	 * immediately.
	 * @return the state of a request that may not run, {@code null} if the request has to
	 * be claimed
	 */
	@Nullable ClaimResult probeIfSeen(ClaimRequest request) {
		long number = request.identity().lockKey();
		boolean seen = this.recent.getAndSet((int) number & (RECENT - 1), number) == number;
		if (!seen || !this.store.probesInOneMessage()
				|| TransactionSynchronizationManager.isActualTransactionActive()) {
			return null;
		}
		ClaimResult result = probe(request, StorePhase.CLAIM);
		boolean mayRun = result instanceof ClaimResult.Acquired || result instanceof ClaimResult.Abandoned;
		return mayRun ? null : result;
	}

	/**
	 * Decides about a request that may not run now.
	 * @return its response, or {@code null} while it is in progress
	 * @throws KeyReusedException if the key was used for another request
	 * @throws RequestStuckException if the request needs manual resolution
	 * @throws TooManyOpenRequestsException if the account has too many unfinished
	 * requests
	 */
	@Nullable Claim decide(ClaimRequest request, ClaimResult result) {
		if (result instanceof StoredRecord found) {
			return new Claim.Replayed(replay(request, found));
		}
		if (result instanceof ClaimResult.Limited) {
			refuse(request, Refusal.LIMITED);
			throw new TooManyOpenRequestsException(EngineSettings.RETRY_AFTER);
		}
		if (result instanceof ClaimResult.LeasedElsewhere other) {
			requireSameRequest(request, other.fingerprint());
			if (other instanceof ClaimResult.Stuck) {
				refuse(request, Refusal.STUCK);
				throw new RequestStuckException();
			}
			return null;
		}
		Assert.isInstanceOf(ClaimResult.Busy.class, result, "The request may run");
		return null;
	}

	StoredResponse replay(ClaimRequest request, StoredRecord found) {
		requireSameRequest(request, found.fingerprint());
		StoredResponse response = decode(request, found);
		this.notifications.publish(new Replayed(request.operation().name(), request.elapsed(), ReplaySource.DATABASE));
		keep(request, found);
		return response;
	}

	private StoredResponse decode(ClaimRequest request, StoredRecord found) {
		try {
			return StoredResponse.decode(request.identity(), found.fingerprint(), found.response(), this.codec);
		}
		catch (NotReplayableException ex) {
			refuse(request, Refusal.NOT_REPLAYABLE);
			throw ex;
		}
	}

	/**
	 * Answers a request of a sender from the cache.
	 * @return its response, or {@code null} if the store has to be asked
	 * @throws KeyReusedException if the key was used for another request
	 */
	@Nullable StoredResponse replayCached(ClaimRequest request) {
		StoredRecord hit = (this.cache != ResponseCache.NONE && request.recovery() == null)
				? this.cache.find(request.identity()) : null;
		if (hit == null) {
			return null;
		}
		if (hit.response().content() == null) {
			requireSameRequest(request, hit.fingerprint());
			refuse(request, Refusal.NOT_REPLAYABLE);
			throw new NotReplayableException(null);
		}
		// Before the comparison: a codec that encrypts authenticates the whole entry,
		// including the owner of the response.
		StoredResponse response = decodeCached(request.identity(), hit);
		if (response == null) {
			return null;
		}
		requireSameRequest(request, hit.fingerprint());
		this.notifications.publish(new Replayed(request.operation().name(), request.elapsed(), ReplaySource.LOCAL));
		return response;
	}

	/**
	 * Decodes a response. If a record cannot be read, it is not the one that was stored,
	 * or its key is no longer configured: the store decides.
	 */
	private @Nullable StoredResponse decodeCached(Identity identity, StoredRecord found) {
		try {
			return StoredResponse.decode(identity, found.fingerprint(), found.response(), this.codec);
		}
		catch (RuntimeException ex) {
			logger.debug("A cached response cannot be read [" + identity + "]", ex);
			return null;
		}
	}

	private void requireSameRequest(ClaimRequest request, byte[] fingerprint) {
		if (!request.fingerprint().matches(fingerprint)) {
			refuse(request, Refusal.MISMATCHED);
			throw new KeyReusedException();
		}
	}

	/**
	 * Reads the state of a request on a separate connection.
	 */
	ClaimResult probe(ClaimRequest request, StorePhase phase) {
		try {
			return this.store.probe(request.identity());
		}
		catch (RuntimeException ex) {
			throw unavailable(request, phase, ex);
		}
	}

	/**
	 * Returns the response of another delivery that has finished the request in the
	 * meantime.
	 */
	StoredResponse requireOtherResponse(ClaimRequest request) {
		if (probe(request, StorePhase.RESOLVE) instanceof StoredRecord found) {
			return replay(request, found);
		}
		throw inProgress(request);
	}

	FinishedRecord toRecord(ClaimRequest request, StoredResponse response, long token) {
		IdempotentOperation operation = request.operation();
		Identity identity = request.identity();
		StoredResponse kept = (operation.replay() == Replay.NONE)
				? new StoredResponse(response.status(), response.headers(), null) : response;
		byte[] fingerprint = request.fingerprint().bytes();
		Duration ttl = operation.ttl(response.status());
		return new FinishedRecord(identity, operation.name(), fingerprint,
				kept.encode(identity, fingerprint, ttl, this.codec), ttl, token);
	}

	/**
	 * Notes that a request has been executed, and caches its record.
	 */
	void executed(ClaimRequest request, FinishedRecord finished) {
		if (this.cache != ResponseCache.NONE) {
			keep(request, new StoredRecord(finished.fingerprint(), finished.response(), finished.ttl()));
		}
		this.notifications.publish(new Executed(request.operation().name(), request.elapsed()));
	}

	/**
	 * Caches a record, within a transaction of the caller only after its commit: the
	 * transaction may have written the record itself, and a savepoint may undo that.
	 */
	private void keep(ClaimRequest request, StoredRecord stored) {
		if (this.cache == ResponseCache.NONE) {
			return;
		}
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			put(request, stored);
		}
		else if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				private boolean undone;

				@Override
				public void savepointRollback(Object savepoint) {
					this.undone = true;
				}

				@Override
				public void afterCommit() {
					if (!this.undone) {
						put(request, stored);
					}
				}

			});
		}
	}

	/**
	 * Counts the time to live from the arrival of the request, which was before the
	 * database returned it.
	 */
	private void put(ClaimRequest request, StoredRecord stored) {
		this.cache.put(request.identity(), stored, request.startNanos() + stored.timeToLive().toNanos());
	}

	RequestInProgressException inProgress(ClaimRequest request) {
		refuse(request, Refusal.IN_PROGRESS);
		return new RequestInProgressException(EngineSettings.RETRY_AFTER);
	}

	private void refuse(ClaimRequest request, Refusal refusal) {
		this.notifications.publish(new Refused(request.operation().name(), refusal, request.elapsed()));
	}

	/**
	 * Rolls a transaction back because of a failure.
	 */
	void rollBack(TransactionStatus transaction, Throwable cause) {
		try {
			this.transactionManager.rollback(transaction);
		}
		catch (RuntimeException ex) {
			cause.addSuppressed(ex);
		}
	}

	/**
	 * Notes that the store has let a request run.
	 */
	void available() {
		this.failures.succeeded();
	}

	/**
	 * Creates the exception for a conflict with another transaction: nothing is stored or
	 * executed, and a retry runs.
	 */
	StoreUnavailableException conflict(Throwable cause) {
		return new StoreUnavailableException(EngineSettings.RETRY_AFTER, cause);
	}

	StoreUnavailableException unavailable(ClaimRequest request, StorePhase phase, Throwable cause) {
		this.notifications.publish(new StoreFailed(request.operation().name(), phase));
		this.failures.failed(request.operation().name(), phase, cause);
		return new StoreUnavailableException(EngineSettings.RETRY_AFTER, cause);
	}

	/**
	 * Logs the reason why callers get 503, once for each streak of failures. Intermittent
	 * failures belong to one streak, which ends with a success after a quiet time.
	 */
	static final class StoreFailureLog {

		static final Duration QUIET = Duration.ofSeconds(10);

		private final LongSupplier nanoTime;

		private final AtomicBoolean failing = new AtomicBoolean();

		private volatile long lastFailure;

		StoreFailureLog(LongSupplier nanoTime) {
			this.nanoTime = nanoTime;
		}

		void failed(String operation, StorePhase phase, Throwable cause) {
			this.lastFailure = this.nanoTime.getAsLong();
			if (this.failing.compareAndSet(false, true)) {
				LogEvent.STORE_UNAVAILABLE.log(logger, "The store failed, callers get 503 [" + operation + ", " + phase
						+ "]; further failures are counted and not logged until the store works again", cause);
			}
		}

		void succeeded() {
			if (this.failing.get() && this.nanoTime.getAsLong() - this.lastFailure >= QUIET.toNanos()
					&& this.failing.compareAndSet(true, false)) {
				LogEvent.STORE_AVAILABLE.log(logger, "The store works again");
			}
		}

	}

}
