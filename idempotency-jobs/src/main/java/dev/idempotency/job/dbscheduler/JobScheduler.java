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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.Task;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.SmartLifecycle;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionOperations;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.store.Shard;
import dev.idempotency.store.Shards;

/**
 * Runs jobs while the application runs, on a dedicated db-scheduler for each shard: no
 * bean, a separate table, separate threads, so that a scheduler of the application is not
 * affected.
 * <p>
 * It runs in the last phase of the lifecycle: the whole application, including its web
 * server, is available to jobs, and no job begins while the application shuts down. Nodes
 * without handlers run no jobs and send no queries.
 */
public final class JobScheduler implements SmartLifecycle, StagedJobsSource {

	private static final Log logger = LogFactory.getLog(JobScheduler.class);

	private final Supplier<List<Task<?>>> tasks;

	private final List<ShardJobs> shards;

	private final StagedJobs stagedJobs;

	private volatile boolean running;

	/**
	 * Creates a scheduler that does nothing before it is started.
	 * @param transaction the transaction in which jobs are staged
	 * @param database the database of its data source
	 * @param transactions transactions of the business rows
	 * @param handlers the handlers of jobs
	 * @param operations executes them
	 * @param notifications the listeners of failures
	 * @param mapper reads and writes payloads
	 * @param codec encodes payloads
	 * @param settings the settings of jobs
	 * @param stages the observer of jobs
	 * @param shards the databases behind the data source, each with a db-scheduler
	 */
	public JobScheduler(JoinedTransaction transaction, SupportedDatabase database, TransactionOperations transactions,
			JobHandlers handlers, IdempotencyOperations operations, NotificationPublisher notifications,
			JsonMapper mapper, ResponseCodec codec, JobSettings settings, StageObserver stages, Shards shards) {
		JobDialect dialect = JobDialect.of(database, transaction.names());
		PayloadFormat payloads = new PayloadFormat(mapper, codec);
		JobTable table = new JobTable(JdbcClient.create(transaction.dataSource()), transaction.names(), dialect,
				transactions, settings.namespace());
		JobFailures failures = new JobFailures(table, settings, notifications);
		this.tasks = () -> handlers.all()
			.stream()
			.<Task<?>>map((handler) -> new JobTask<>(settings.taskName(handler.type()), handler, operations, payloads,
					table, stages, failures))
			.toList();
		Supplier<List<String>> taskNames = () -> handlers.all()
			.stream()
			.map(JobHandler::type)
			.map(settings::taskName)
			.toList();
		this.shards = Shard.all(shards)
			.stream()
			.map((shard) -> new ShardJobs(shard, transaction, dialect, settings, taskNames))
			.toList();
		SchedulerClient client = SchedulerClient.Builder
			.create(new TransactionAwareDataSourceProxy(transaction.dataSource()))
			.tableName(transaction.names().qualified(JobTable.NAME))
			.jdbcCustomization(dialect.customization())
			.serializer(new RawBytes())
			.build();
		this.stagedJobs = new DbSchedulerJobs(transaction, client, handlers, payloads, table, settings, this.shards);
	}

	/**
	 * Returns the caller's side of the queue.
	 * @return stages jobs for this scheduler and those of other nodes
	 */
	@Override
	public StagedJobs stagedJobs() {
		return this.stagedJobs;
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
		this.shards.forEach((shard) -> shard.start(started));
	}

	@Override
	public synchronized void stop() {
		if (this.running) {
			this.running = false;
			// All shards stop at the same time, since each waits for its own jobs.
			CompletableFuture
				.allOf(this.shards.stream()
					.map((shard) -> CompletableFuture.runAsync(shard::stop, (task) -> new Thread(task).start()))
					.toArray(CompletableFuture<?>[]::new))
				.join();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
