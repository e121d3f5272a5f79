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

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.ReplayAuthorizer;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.observation.RecordedObservations;
import dev.idempotency.phase.Phases;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;

/**
 * An engine over the store in memory, whose store and commits fail when a test says so.
 */
public final class TestEngine {

	public static final Duration LEASE = Duration.ofMinutes(1);

	public static final EngineSettings SETTINGS = new EngineSettings(Duration.ZERO, Isolation.DEFAULT,
			RetryPolicy.builder()
				.maxRetries(2)
				.delay(Duration.ofMillis(1))
				.predicate(CommitFailure::isConflict)
				.build(),
			leases(LEASE, Duration.ofMinutes(5)));

	public final List<IdempotencyNotification> notifications = new CopyOnWriteArrayList<>();

	public final NotificationPublisher publisher = new NotificationPublisher(List.of(this.notifications::add));

	public final RecordedObservations observations = new RecordedObservations();

	public final InMemoryIdempotencyStore memory;

	public final LeaseStore store;

	public final Transactions transactions = new Transactions();

	public final RequestTransactions watched = new RequestTransactions(() -> this.transactions, (resource) -> {
	});

	public final LeaseKeeper keeper;

	public final IdempotencyEngine engine;

	public final List<ReplayAuthorizer> authorizers = new CopyOnWriteArrayList<>();

	private final List<Execution> executions = new CopyOnWriteArrayList<>();

	private final Map<String, Queue<Runnable>> before = new ConcurrentHashMap<>();

	private volatile @Nullable FinishedRecord lastFinished;

	private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

	public TestEngine() {
		this.memory = new InMemoryIdempotencyStore("test", () -> this.now);
		this.store = interrupted(this.memory);
		this.transactions.memory.addListener(this.watched.listener());
		this.keeper = new LeaseKeeper(() -> this.store, SETTINGS.lease(), this.publisher);
		this.engine = engine(EnvelopeCodec.plain(null));
	}

	/**
	 * Another engine on the same store.
	 */
	public IdempotencyEngine engine(ResponseCodec codec) {
		return new IdempotencyEngine(this.store, this.transactions, new ContentCodec("app", codec), ResponseCache.NONE,
				this.publisher, this.keeper, this.watched, this.observations.registry, () -> this.authorizers,
				SETTINGS);
	}

	public static EngineSettings.Lease leases(Duration lease, Duration max) {
		return new EngineSettings.Lease(lease, max, LeaseExpiry.RERUN, 3, LeaseLimits.NONE);
	}

	/**
	 * The phases of a request on this engine, whose foreign steps are tried again after
	 * an {@link IOException}.
	 */
	public Phases phases() {
		return OperationCalls.phases(this.watched, SETTINGS, JsonMapper.shared(), IOException.class::isInstance,
				new StaticListableBeanFactory().getBeanProvider(StagedJobs.class));
	}

	private LeaseStore interrupted(LeaseStore target) {
		return (LeaseStore) Proxy.newProxyInstance(TestEngine.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					Queue<Runnable> work = this.before.get(method.getName());
					if (arguments != null && arguments[arguments.length - 1] instanceof FinishedRecord finished) {
						this.lastFinished = finished;
					}
					Runnable next = (work != null) ? work.poll() : null;
					if (next != null) {
						next.run();
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/**
	 * Does something before the next call of a method of the store, or instead of it, if
	 * it throws.
	 */
	public void beforeNext(String method, Runnable work) {
		this.before.computeIfAbsent(method, (name) -> new ConcurrentLinkedQueue<>()).add(work);
	}

	public void failNext(String method, RuntimeException failure) {
		beforeNext(method, () -> {
			throw failure;
		});
	}

	/**
	 * The record that was written last, whether or not it was committed.
	 */
	public FinishedRecord lastFinished() {
		return Objects.requireNonNull(this.lastFinished);
	}

	public void passTime(Duration time) {
		this.now = this.now.plus(time);
	}

	public DuplicateHandler duplicates(ResponseCache cache) {
		return duplicates(cache, EnvelopeCodec.plain(null));
	}

	public DuplicateHandler duplicates(ResponseCache cache, ResponseCodec codec) {
		return new DuplicateHandler(this.store, this.transactions, new ContentCodec("app", codec), cache, SETTINGS,
				this.publisher);
	}

	public static Identity identity(int key) {
		byte[] digest = new byte[32];
		digest[0] = (byte) key;
		digest[1] = (byte) (key >> 8);
		// A real digest differs in all its parts.
		digest[7] = (byte) key;
		return new Identity(digest, new byte[16]);
	}

	public static ClaimRequest call(int key, Mode mode, ClaimRequest.EffectCommits commits) {
		return call(key, mode, commits, Replay.FULL, new byte[32]);
	}

	public static ClaimRequest call(int key, Mode mode, ClaimRequest.EffectCommits commits, Replay replay,
			byte[] fingerprint) {
		return new ClaimRequest(new IdempotentOperation("pay", null, Scope.ACCOUNT, "", Duration.ofHours(1),
				Duration.ofHours(1), true, mode, replay), identity(key), Fingerprint.of(fingerprint), commits, null,
				null);
	}

	/**
	 * Claims a call that is not claimed.
	 */
	public Execution execute(ClaimRequest call) {
		Execution execution = (Execution) this.engine.claim(call);
		this.executions.add(execution);
		return execution;
	}

	/**
	 * Leaves no transaction on the thread of the test.
	 */
	public void close() {
		this.executions.forEach(Execution::release);
	}

	public Claim claim(ClaimRequest call) {
		return this.engine.claim(call);
	}

	/**
	 * Takes a lease, as the owner of a call does.
	 */
	public Lease lease(int key) {
		return ((ClaimResult.Leased) tryLease(key)).lease();
	}

	public ClaimResult tryLease(int key) {
		return this.memory
			.lease(new LeaseRequest(identity(key), "pay", new byte[32], null, LEASE, true, 3, LeaseLimits.NONE));
	}

	/**
	 * Lets somebody else take a lease over.
	 */
	public Lease takeOver(Lease lease) {
		passTime(LEASE.plusSeconds(1));
		return lease(lease.identity().digest()[0]);
	}

	public <T> T inTransaction(Supplier<T> work) {
		return new TransactionTemplate(this.transactions).execute((status) -> work.get());
	}

	public static StoredResponse answer(String body) {
		return new StoredResponse(201, List.of(), body.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * A failure in which the database has said nothing.
	 */
	public static RuntimeException lost() {
		return new TransactionSystemException("The connection was lost", new SQLException("lost", "08006"));
	}

	/**
	 * A failure in which the database has ended the transaction because of another one.
	 */
	public static RuntimeException conflict() {
		return failure("40001");
	}

	public static RuntimeException failure(String sqlState) {
		return new TransientDataAccessResourceException("Failed", new SQLException("failed", sqlState));
	}

	/**
	 * Transactions of the store in memory, of which the next commit may fail. What it
	 * would have committed is rolled back.
	 */
	public static final class Transactions implements PlatformTransactionManager {

		private final InMemoryTransactionManager memory = new InMemoryTransactionManager();

		private final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

		private @Nullable Integer isolation;

		Transactions() {
			this.memory.addListener(new TransactionExecutionListener() {

				@Override
				public void beforeCommit(TransactionExecution transaction) {
					RuntimeException failure = Transactions.this.failures.poll();
					if (failure != null) {
						throw failure;
					}
				}

			});
		}

		/**
		 * Gives the transactions without an isolation the one of the connections.
		 */
		public void isolate(int level) {
			this.isolation = level;
		}

		public void failNextCommit(RuntimeException failure) {
			this.failures.add(failure);
		}

		@Override
		public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
			TransactionStatus status = this.memory.getTransaction(definition);
			if (this.isolation != null && status.isNewTransaction()) {
				TransactionSynchronizationManager.setCurrentTransactionIsolationLevel(this.isolation);
			}
			return status;
		}

		@Override
		public void commit(TransactionStatus status) {
			this.memory.commit(status);
		}

		@Override
		public void rollback(TransactionStatus status) {
			this.memory.rollback(status);
		}

	}

}
