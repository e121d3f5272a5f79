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

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;

import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.job.JobId;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.StagedJobs.DeadJob;

/**
 * Stages jobs on db-scheduler's table.
 *
 * @param transaction the transaction in which jobs are staged
 * @param client inserts jobs
 * @param handlers the handlers of jobs
 * @param payloads writes payloads
 * @param table the jobs
 * @param settings the settings of jobs
 * @param clock the time of the database
 * @param wake searches for jobs that are due since a time
 */
record DbSchedulerJobs(JoinedTransaction transaction, SchedulerClient client, JobHandlers handlers,
		PayloadFormat payloads, JobTable table, JobScheduler.Settings settings, DatabaseClock clock,
		Consumer<Instant> wake) implements StagedJobs {

	/**
	 * The times that all databases can hold.
	 */
	private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

	private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

	@Override
	public <T> JobId stage(JobType<T> type, T payload) {
		return stage(type, payload, this.clock.now());
	}

	@Override
	public <T> JobId stage(JobType<T> type, T payload, Instant notBefore) {
		this.transaction.require("The job " + type.name() + " cannot be staged");
		this.handlers.requireSamePayload(type);
		if (notBefore.isBefore(FIRST) || notBefore.isAfter(LAST)) {
			throw new IllegalArgumentException("The job " + type.name() + " cannot be staged for " + notBefore
					+ ". Give it a time between the years 1 and 9999.");
		}
		JobId id = new JobId(UUID.randomUUID());
		byte[] data = this.payloads.write(id, type, payload);
		TaskInstance<byte[]> job = new TaskInstance<>(this.settings.taskName(type), id.toString(), data);
		// A batch, even of one, is inserted without a select before it.
		this.client.scheduleBatch(List.of(job), notBefore);
		JoinedTransaction.afterCommit(() -> this.wake.accept(notBefore));
		return id;
	}

	@Override
	public int staged() {
		return this.table.staged();
	}

	@Override
	public List<DeadJob> dead(int limit) {
		if (limit < 1) {
			throw new IllegalArgumentException("The limit is " + limit + ". It must be at least 1.");
		}
		return this.table.dead(limit);
	}

	@Override
	public void retry(JobId id) {
		requireFound(this.table.revive(id), id);
		// Due since a time of the database's clock.
		JoinedTransaction.afterCommit(() -> this.wake.accept(Instant.EPOCH));
	}

	@Override
	public void discard(JobId id) {
		requireFound(this.table.discard(id), id);
	}

	private static void requireFound(boolean found, JobId id) {
		if (!found) {
			throw new IllegalArgumentException("No dead job has the id " + id);
		}
	}

}
