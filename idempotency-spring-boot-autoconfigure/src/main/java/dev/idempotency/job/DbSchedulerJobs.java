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
package dev.idempotency.job;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.TaskInstance;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stages jobs on db-scheduler's table.
 */
final class DbSchedulerJobs implements StagedJobs {

	private final DataSource dataSource;

	private final SchedulerClient client;

	private final JobHandlers handlers;

	private final PayloadFormat payloads;

	private final JobTable table;

	private final JobSettings settings;

	private final DatabaseClock clock;

	private final Runnable waker;

	DbSchedulerJobs(DataSource dataSource, JobHandlers handlers, PayloadFormat payloads, JobTable table,
			JobSettings settings, DatabaseClock clock, Runnable waker) {
		this.dataSource = dataSource;
		this.handlers = handlers;
		this.payloads = payloads;
		this.table = table;
		this.settings = settings;
		this.clock = clock;
		this.waker = waker;
		this.client = SchedulerClient.Builder.create(new TransactionAwareDataSourceProxy(dataSource))
			.tableName(JobTable.NAME)
			.jdbcCustomization(new PostgreSqlJdbcCustomization(false, false))
			.serializer(new RawBytes())
			.build();
	}

	@Override
	public <T> JobId stage(JobType<T> type, T payload) {
		return stage(type, payload, this.clock.now());
	}

	@Override
	public <T> JobId stage(JobType<T> type, T payload, Instant notBefore) {
		requireTransaction(type);
		this.handlers.requireSamePayload(type);
		JobId id = JobId.random();
		byte[] data = this.payloads.write(id, type, payload);
		TaskInstance<byte[]> job = new TaskInstance<>(this.settings.taskName(type), id.toString(), data);
		// A batch, even of one, is inserted without a select before it.
		this.client.scheduleBatch(List.of(job), notBefore);
		wakeAfterCommit();
		return id;
	}

	/**
	 * Outside of the transaction of the business rows the job would be committed at once,
	 * with what it belongs to still undecided.
	 */
	private void requireTransaction(JobType<?> type) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			throw refusal(type, "there is no transaction. Call it from a @Transactional method, an @Idempotent handler "
					+ "or an atomic phase: the job is then staged if and only if its rows are committed.");
		}
		if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw refusal(type, "the transaction is read-only. Remove readOnly = true.");
		}
		if (isAutoCommitted()) {
			throw refusal(type,
					"the transaction belongs to another database or transaction manager. Stage it in one of "
							+ "the transaction manager that idempotency.transaction-manager names.");
		}
	}

	private boolean isAutoCommitted() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return connection.getAutoCommit();
		}
		catch (SQLException ex) {
			throw new IllegalTransactionStateException("The connection of the transaction is broken", ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	private static IllegalTransactionStateException refusal(JobType<?> type, String reason) {
		return new IllegalTransactionStateException("The job " + type.name() + " cannot be staged: " + reason);
	}

	private void wakeAfterCommit() {
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			this.waker.run();
			return;
		}
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				DbSchedulerJobs.this.waker.run();
			}

		});
	}

	@Override
	public List<DeadJob> dead(int limit) {
		if (limit < 1) {
			throw new IllegalArgumentException("The limit is " + limit + ". Write a number from 1.");
		}
		return this.table.dead(limit);
	}

	@Override
	public void retry(JobId id) {
		requireFound(this.table.revive(id), id);
		wakeAfterCommit();
	}

	@Override
	public void discard(JobId id) {
		requireFound(this.table.discard(id), id);
	}

	private static void requireFound(boolean found, JobId id) {
		if (!found) {
			throw new IllegalArgumentException("There is no dead job with the id " + id);
		}
	}

}
