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
package dev.idempotency.job.dbscheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.StagedJobs.DeadJob;
import dev.idempotency.store.UnfinishedStore.Backoff;

/**
 * Stages jobs, and runs them while the application runs, on a dedicated db-scheduler: no
 * bean, a separate table, separate threads, so that a scheduler of the application is not
 * affected.
 * <p>
 * It runs in the last phase of the lifecycle: the whole application, including its web
 * server, is available to jobs, and no job begins while the application shuts down. Nodes
 * without handlers run no jobs and send no queries.
 */
public final class JobScheduler implements SmartLifecycle, StagedJobs {

	private static final Log logger = LogFactory.getLog(JobScheduler.class);

	/**
	 * Time that a shutdown waits for running jobs before it interrupts them. They are
	 * rolled back then, and run again.
	 */
	private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(20);

	/**
	 * The smallest number that db-scheduler allows.
	 */
	private static final int MISSED_HEARTBEATS = 4;

	/**
	 * A job has heartbeats while it runs, not while it is queued. Therefore no more jobs
	 * are fetched than there are free threads, and the next one as soon as a thread is
	 * free.
	 */
	private static final double FETCH_BELOW = 0.99;

	private static final double FETCH_UP_TO = 1.0;

	/**
	 * Jobs of an unknown type belong to another version of the application. db-scheduler
	 * would delete them.
	 */
	private static final Duration NEVER = Duration.ofMillis(Long.MAX_VALUE);

	/**
	 * The times that all databases can hold.
	 */
	private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

	private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

	private final JoinedTransaction transaction;

	private final JobDialect dialect;

	private final Settings settings;

	private final Supplier<List<Task<?>>> tasks;

	private final DatabaseClock clock;

	private final DueJobs due;

	/**
	 * The handlers by the names of their types. They are looked up when the application
	 * has started, so that handlers may stage jobs themselves.
	 */
	private final SingletonSupplier<Map<String, JobHandler<?>>> handlers;

	private final PayloadFormat payloads;

	private final JobTable table;

	private final SchedulerClient client;

	private volatile @Nullable Scheduler scheduler;

	private volatile boolean running;

	/**
	 * Creates a scheduler that does nothing before it is started.
	 * @param transaction the transaction in which jobs are staged
	 * @param database the database of its data source
	 * @param transactions transactions of the business rows
	 * @param handlerBeans the handlers of jobs
	 * @param operations executes them
	 * @param notifications the listeners of failures
	 * @param mapper reads and writes payloads
	 * @param codec encodes payloads
	 * @param settings the settings of jobs
	 */
	public JobScheduler(JoinedTransaction transaction, SupportedDatabase database, TransactionOperations transactions,
			ObjectProvider<JobHandler<?>> handlerBeans, IdempotencyOperations operations,
			NotificationPublisher notifications, JsonMapper mapper, ContentCodec codec, Settings settings) {
		this.transaction = transaction;
		this.dialect = JobDialect.of(database, transaction.names());
		this.settings = settings;
		this.handlers = SingletonSupplier.of(() -> byName(handlerBeans.orderedStream().toList()));
		this.payloads = new PayloadFormat(mapper, codec);
		this.table = new JobTable(JdbcClient.create(transaction.dataSource()), transaction.names(), this.dialect,
				transactions, settings.namespace());
		JobFailures failures = new JobFailures(this.table, settings, notifications);
		this.tasks = () -> this.handlers.obtain()
			.values()
			.stream()
			.<Task<?>>map((handler) -> new JobTask<>(settings.taskName(handler.type()), handler, operations,
					this.payloads, this.table, failures))
			.toList();
		this.clock = new DatabaseClock(JdbcClient.create(transaction.dataSource()), this.dialect);
		this.due = new DueJobs(
				() -> this.handlers.obtain().values().stream().map(JobHandler::type).map(settings::taskName).toList(),
				settings.pollingInterval());
		this.client = SchedulerClient.Builder.create(new TransactionAwareDataSourceProxy(transaction.dataSource()))
			.tableName(transaction.names().qualified(JobTable.NAME))
			.jdbcCustomization(this.dialect.customization())
			.serializer(new RawBytes())
			.build();
	}

	private static Map<String, JobHandler<?>> byName(List<JobHandler<?>> handlers) {
		Map<String, JobHandler<?>> byName = new LinkedHashMap<>();
		for (JobHandler<?> handler : handlers) {
			JobHandler<?> other = byName.put(handler.type().name(), handler);
			if (other != null) {
				throw new InvalidIdempotentException(
						"Two beans handle jobs of the type '" + handler.type().name() + "': "
								+ other.getClass().getName() + " and " + handler.getClass().getName() + ".",
						"Declare one JobHandler for each type, or give one of them a type with another name.");
			}
		}
		return byName;
	}

	@Override
	public <T> UUID stage(JobType<T> type, T payload) {
		return stage(type, payload, this.clock.now());
	}

	@Override
	public <T> UUID stage(JobType<T> type, T payload, Instant notBefore) {
		this.transaction.require("The job " + type.name() + " cannot be staged");
		requireSamePayload(type);
		Assert.isTrue(!notBefore.isBefore(FIRST) && !notBefore.isAfter(LAST), () -> "The job " + type.name()
				+ " cannot be staged for " + notBefore + ". Give it a time between the years 1 and 9999.");
		UUID id = UUID.randomUUID();
		byte[] data = this.payloads.write(id, type, payload);
		TaskInstance<byte[]> job = new TaskInstance<>(this.settings.taskName(type), id.toString(), data);
		// A batch, even of one, is inserted without a select before it.
		this.client.scheduleBatch(List.of(job), notBefore);
		JoinedTransaction.afterCommit(() -> wake(notBefore));
		return id;
	}

	/**
	 * Refuses a payload whose class is not the handler's, which has to be detected before
	 * the commit.
	 */
	private void requireSamePayload(JobType<?> type) {
		JobHandler<?> handler = this.handlers.obtain().get(type.name());
		if (handler != null && handler.type().payloadType() != type.payloadType()) {
			throw new IllegalArgumentException("A job of the type '" + type.name() + "' is staged with "
					+ type.payloadType().getName() + ", but its handler takes " + handler.type().payloadType().getName()
					+ ". Use one JobType constant for both.");
		}
	}

	@Override
	public int staged() {
		return this.table.staged();
	}

	@Override
	public List<DeadJob> dead(int limit) {
		Assert.isTrue(limit >= 1, () -> "The limit is " + limit + ". It must be at least 1.");
		return this.table.dead(limit);
	}

	@Override
	public void retry(UUID id) {
		requireFound(this.table.revive(id), id);
		// Due since a time of the database's clock.
		JoinedTransaction.afterCommit(() -> wake(Instant.EPOCH));
	}

	@Override
	public void discard(UUID id) {
		requireFound(this.table.discard(id), id);
	}

	private static void requireFound(boolean found, UUID id) {
		Assert.isTrue(found, () -> "No dead job has the id " + id);
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		this.running = true;
		List<Task<?>> started = this.tasks.get();
		if (started.isEmpty()) {
			logger.debug("No JobHandler is declared: this node runs no jobs");
			return;
		}
		this.clock.synchronize();
		Scheduler built = build(started);
		this.scheduler = built;
		built.start();
	}

	private Scheduler build(List<Task<?>> started) {
		SchedulerBuilder building = Scheduler.create(this.transaction.dataSource(), started)
			.tableName(this.transaction.names().qualified(JobTable.NAME))
			.jdbcCustomization(this.dialect.oneStatement() ? this.due : this.dialect.customization())
			.serializer(new RawBytes())
			.clock(this.clock)
			.pollingInterval(this.settings.pollingInterval())
			.heartbeatInterval(this.settings.heartbeatInterval())
			.missedHeartbeatsLimit(MISSED_HEARTBEATS)
			.deleteUnresolvedAfter(NEVER)
			.shutdownMaxWait(SHUTDOWN_LIMIT)
			.threads(this.settings.threads())
			.executorService(Executors.newFixedThreadPool(this.settings.threads(), threads("idempotency-job-")))
			.dueExecutor(Executors.newSingleThreadExecutor(threads("idempotency-job-poll-")))
			.housekeeperExecutor(Executors.newScheduledThreadPool(2, threads("idempotency-job-heartbeat-")))
			.addSchedulerListener(new ClockKeeper());
		return (this.dialect.oneStatement() ? building.pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
				: building.pollUsingFetch(FETCH_BELOW, FETCH_UP_TO))
			.build();
	}

	private static ThreadFactory threads(String prefix) {
		return new CustomizableThreadFactory(prefix);
	}

	/**
	 * Searches for due jobs now.
	 * @param staged the time at which the committed job is due
	 */
	private void wake(Instant staged) {
		this.due.staged(staged);
		Scheduler current = this.scheduler;
		if (current != null) {
			current.triggerCheckForDueExecutions();
		}
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		Scheduler stopped = this.scheduler;
		this.scheduler = null;
		if (stopped != null) {
			stopped.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Synchronizes the clock. Before every second heartbeat db-scheduler searches for
	 * dead jobs: the clock is set after each search, on the same thread.
	 */
	private final class ClockKeeper extends AbstractSchedulerListener {

		@Override
		public void onSchedulerEvent(SchedulerEventType type) {
			if (type == SchedulerEventType.RAN_DETECT_DEAD) {
				JobScheduler.this.clock.synchronize();
			}
		}

	}

	/**
	 * The settings of jobs.
	 *
	 * @param namespace separates applications that share a database
	 * @param threads the number of jobs that a node runs at the same time
	 * @param pollingInterval time between two searches for due jobs, and the pause after
	 * the first failure of a job
	 * @param heartbeatInterval time between two heartbeats of a running job; after four
	 * missed ones another node gets it
	 * @param maxAttempts the number of attempts after which a job is dead
	 */
	public record Settings(String namespace, int threads, Duration pollingInterval, Duration heartbeatInterval,
			int maxAttempts) {

		/**
		 * The longest pause between two attempts, in polling intervals: half an hour by
		 * default.
		 */
		private static final int LONGEST_PAUSE = 180;

		/**
		 * Returns the pauses between two attempts at a failed job.
		 */
		Backoff backoff() {
			return new Backoff(this.pollingInterval, this.pollingInterval.multipliedBy(LONGEST_PAUSE));
		}

		/**
		 * Returns the name of a job type in db-scheduler. A type's name has no colon, so
		 * that the names of different pairs of namespace and type differ.
		 */
		String taskName(JobType<?> type) {
			return this.namespace + ":" + type.name();
		}

	}

	/**
	 * Stores the bytes given to db-scheduler as they are.
	 */
	private static final class RawBytes implements Serializer {

		@Override
		public byte[] serialize(Object data) {
			return (byte[]) data;
		}

		@Override
		public <T> T deserialize(Class<T> type, byte[] stored) {
			return type.cast(stored);
		}

	}

}
