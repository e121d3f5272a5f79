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
import java.util.List;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.task.Task;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.store.Shard;

/**
 * Runs the jobs of one shard on a db-scheduler, whose threads have the shard selected.
 */
final class ShardJobs {

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

	private final Shard shard;

	private final JoinedTransaction transaction;

	private final JobDialect dialect;

	private final JobSettings settings;

	private final DatabaseClock clock;

	private final DueJobs due;

	private volatile @Nullable Scheduler scheduler;

	ShardJobs(Shard shard, JoinedTransaction transaction, JobDialect dialect, JobSettings settings,
			Supplier<List<String>> taskNames) {
		this.shard = shard;
		this.transaction = transaction;
		this.dialect = dialect;
		this.settings = settings;
		this.clock = new DatabaseClock(JdbcClient.create(transaction.dataSource()), dialect);
		this.due = new DueJobs(taskNames, settings.pollingInterval());
	}

	Shard shard() {
		return this.shard;
	}

	/**
	 * Returns the time of the shard.
	 */
	Instant now() {
		return this.clock.now();
	}

	void start(List<Task<?>> tasks) {
		this.shard.run(() -> {
			this.clock.synchronize();
			Scheduler started = build(tasks);
			this.scheduler = started;
			started.start();
		});
	}

	private Scheduler build(List<Task<?>> tasks) {
		SchedulerBuilder building = Scheduler.create(this.transaction.dataSource(), tasks)
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
			.executorService(
					Executors.newFixedThreadPool(this.settings.threads(), this.shard.threads("idempotency-job-")))
			.dueExecutor(Executors.newSingleThreadExecutor(this.shard.threads("idempotency-job-poll-")))
			.housekeeperExecutor(Executors.newScheduledThreadPool(2, this.shard.threads("idempotency-job-heartbeat-")))
			.addSchedulerListener(new ClockKeeper());
		return (this.dialect.oneStatement() ? building.pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
				: building.pollUsingFetch(FETCH_BELOW, FETCH_UP_TO))
			.build();
	}

	/**
	 * Searches for due jobs now.
	 * @param staged the time at which the committed job is due
	 */
	void wake(Instant staged) {
		this.due.staged(staged);
		Scheduler current = this.scheduler;
		if (current != null) {
			current.triggerCheckForDueExecutions();
		}
	}

	void stop() {
		Scheduler stopped = this.scheduler;
		this.scheduler = null;
		if (stopped != null) {
			this.shard.run(stopped::stop);
		}
	}

	/**
	 * Synchronizes the clock. Before every second heartbeat db-scheduler searches for
	 * dead jobs: the clock is set after each search, on the same thread.
	 */
	private final class ClockKeeper extends AbstractSchedulerListener {

		@Override
		public void onSchedulerEvent(SchedulerEventType type) {
			if (type == SchedulerEventType.RAN_DETECT_DEAD) {
				ShardJobs.this.clock.synchronize();
			}
		}

	}

}
