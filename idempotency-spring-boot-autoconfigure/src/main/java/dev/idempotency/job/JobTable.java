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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

import com.github.kagkarlsson.scheduler.task.Execution;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

/**
 * What is done to the tables beside db-scheduler. Each method is one statement. What ends
 * an attempt shows the version that its picking gave to the row: who has lost the job to
 * another node changes nothing.
 */
final class JobTable {

	static final String NAME = "idempotency_job";

	private static final String THIS_ATTEMPT = " where task_name = ? and task_instance = ? and version = ?";

	private static final String REMOVE = "delete from idempotency_job" + THIS_ATTEMPT;

	private static final String POSTPONE = """
			update idempotency_job set picked = false, picked_by = null, last_heartbeat = null,
				execution_time = clock_timestamp() + make_interval(secs => ?),
				consecutive_failures = ?, last_failure = clock_timestamp()""" + THIS_ATTEMPT;

	private static final String BURY = """
			with failed as (delete from idempotency_job""" + THIS_ATTEMPT + """
			 returning task_instance, task_data, staged_at)
			insert into idempotency_dead_job (id, namespace, type, payload, attempts, staged_at, died_at, last_error)
			select task_instance::uuid, ?, ?, task_data, ?, staged_at, clock_timestamp(), ? from failed""";

	private static final String REVIVE = """
			with revived as (delete from idempotency_dead_job where id = ? and namespace = ?
				returning id, namespace, type, payload, staged_at)
			insert into idempotency_job
				(task_name, task_instance, task_data, execution_time, picked, version, staged_at)
			select namespace || ':' || type, id::text, payload, clock_timestamp(), false, 1, staged_at from revived""";

	private static final String DISCARD = "delete from idempotency_dead_job where id = ? and namespace = ?";

	private static final String DEAD = """
			select id, type, attempts, staged_at, died_at, last_error from idempotency_dead_job
			where namespace = ? order by died_at, id limit ?""";

	private final JdbcClient jdbc;

	private final TransactionOperations transactions;

	private final String namespace;

	JobTable(JdbcClient jdbc, TransactionOperations transactions, String namespace) {
		this.jdbc = jdbc;
		this.transactions = transactions;
		this.namespace = namespace;
	}

	/**
	 * End an attempt with success: in the transaction of its effects.
	 * @return {@code false} if the attempt is no longer the current one
	 */
	boolean remove(Execution attempt) {
		return update(REMOVE, attempt.getTaskName(), attempt.getId(), attempt.version);
	}

	/**
	 * End an attempt, with another to come.
	 * @return {@code false} if the attempt is no longer the current one
	 */
	boolean postpone(Execution attempt, Duration delay, int failures) {
		return update(POSTPONE, delay.toNanos() / 1e9, failures, attempt.getTaskName(), attempt.getId(),
				attempt.version);
	}

	/**
	 * End the last attempt.
	 * @return {@code false} if the attempt is no longer the current one
	 */
	boolean bury(Execution attempt, JobType<?> type, int attempts, String error) {
		return update(BURY, attempt.getTaskName(), attempt.getId(), attempt.version, this.namespace, type.name(),
				attempts, error);
	}

	boolean revive(JobId id) {
		return update(REVIVE, id.value(), this.namespace);
	}

	boolean discard(JobId id) {
		return update(DISCARD, id.value(), this.namespace);
	}

	/**
	 * In the current transaction or in one of its own: some pools are configured not to
	 * commit by themselves.
	 */
	private boolean update(String sql, Object... parameters) {
		return Boolean.TRUE
			.equals(this.transactions.execute((status) -> this.jdbc.sql(sql).params(parameters).update() == 1));
	}

	List<DeadJob> dead(int limit) {
		return this.jdbc.sql(DEAD).params(this.namespace, limit).query((row, index) -> deadJob(row)).list();
	}

	private static DeadJob deadJob(ResultSet row) throws SQLException {
		return new DeadJob(new JobId(row.getObject("id", UUID.class)), row.getString("type"), row.getInt("attempts"),
				instant(row, "staged_at"), instant(row, "died_at"), row.getString("last_error"));
	}

	private static Instant instant(ResultSet row, String column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

}
