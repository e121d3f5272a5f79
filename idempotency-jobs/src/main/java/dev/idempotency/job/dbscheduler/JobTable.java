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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Execution;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.StagedJobs.DeadJob;

/**
 * Statements on the job tables outside db-scheduler. Each method is one statement where
 * the database can do that, and one transaction where it cannot. A statement that ends an
 * attempt compares the version that its picking gave to the row: a node that has lost the
 * job to another changes nothing.
 */
final class JobTable extends Statements {

	static final String NAME = "idempotency_job";

	static final String THIS_ATTEMPT = " where task_name = :task and task_instance = :job and version = :version";

	private final String remove = sql("delete from idempotency_job" + THIS_ATTEMPT);

	/**
	 * Reads the index of due jobs: no more rows are read than are counted.
	 */
	private final String staged = sql("""
			select count(*) from (
				select task_name from idempotency_job order by execution_time limit :counted) as first_due
			where left(task_name, :length) = :prefix""".replace(":counted", Integer.toString(StagedJobs.COUNTED)));

	private final String dead = sql("""
			select id, type, attempts, staged_at, died_at, last_error from idempotency_dead_job
			where namespace = ? order by died_at, id limit ?""");

	private final JdbcClient jdbc;

	private final JobDialect dialect;

	private final TransactionOperations transactions;

	private final String namespace;

	JobTable(JdbcClient jdbc, TableNames names, JobDialect dialect, TransactionOperations transactions,
			String namespace) {
		super(names);
		this.jdbc = jdbc;
		this.dialect = dialect;
		this.transactions = transactions;
		this.namespace = namespace;
	}

	/**
	 * Ends a successful attempt: in the transaction of its effects.
	 * @return {@code false} if the attempt is no longer the current one
	 */
	boolean remove(Execution attempt) {
		return update(attempt, this.remove, Map.of());
	}

	/**
	 * Ends an attempt and schedules another.
	 * @return {@code false} if the attempt is no longer the current one
	 */
	boolean postpone(Execution attempt, Duration delay, int failures) {
		return update(attempt, this.dialect.postpone(), Map.of("micros", delay.toNanos() / 1000, "failures", failures));
	}

	/**
	 * Ends the last attempt.
	 * @return {@code false} if the attempt is no longer the current one
	 */
	boolean bury(Execution attempt, JobType<?> type, int attempts, String error) {
		return move(
				() -> update(attempt, this.dialect.bury(),
						Map.of("namespace", this.namespace, "type", type.name(), "attempts", attempts, "error", error)),
				() -> update(attempt, this.remove, Map.of()));
	}

	/**
	 * Moves a dead job back to those that are due. Versions do not begin with 1 again: a
	 * node that was considered lost before the job died would end a later attempt.
	 * @return {@code false} if there is no such dead job
	 */
	boolean revive(UUID id) {
		Map<String, Object> revived = new HashMap<>(dead(id));
		revived.put("version", ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE / 2));
		return move(() -> update(this.dialect.revive(), revived), () -> update(this.dialect.discard(), dead(id)));
	}

	boolean discard(UUID id) {
		return update(this.dialect.discard(), dead(id));
	}

	private Map<String, Object> dead(UUID id) {
		return Map.of("id", id.toString(), "namespace", this.namespace);
	}

	private boolean update(Execution attempt, String sql, Map<String, Object> parameters) {
		Map<String, Object> all = new HashMap<>(parameters);
		all.put("task", attempt.getTaskName());
		all.put("job", attempt.getId());
		all.put("version", attempt.version);
		return update(sql, all);
	}

	/**
	 * Copies a row into the other table and removes it, where the database does not do
	 * both in one statement. The copy of a row that another node has removed meanwhile is
	 * undone.
	 */
	private boolean move(BooleanSupplier copy, BooleanSupplier remove) {
		if (this.dialect.oneStatement()) {
			return copy.getAsBoolean();
		}
		return this.transactions.execute((status) -> {
			boolean copied = copy.getAsBoolean();
			if (copied && !remove.getAsBoolean()) {
				status.setRollbackOnly();
				return false;
			}
			return copied;
		});
	}

	/**
	 * Executes in the current transaction or in a separate one: some pools are configured
	 * without auto-commit.
	 */
	private boolean update(String sql, Map<String, Object> parameters) {
		return this.transactions.execute((status) -> this.jdbc.sql(sql).params(parameters).update() == 1);
	}

	int staged() {
		String prefix = this.namespace + ":";
		return this.jdbc.sql(this.staged)
			.params(Map.of("prefix", prefix, "length", prefix.codePointCount(0, prefix.length())))
			.query(Integer.class)
			.single();
	}

	List<DeadJob> dead(int limit) {
		return this.jdbc.sql(this.dead).params(this.namespace, limit).query((row, index) -> deadJob(row)).list();
	}

	private DeadJob deadJob(ResultSet row) throws SQLException {
		JdbcCustomization database = this.dialect.customization();
		return new DeadJob(UUID.fromString(row.getString("id")), row.getString("type"), row.getInt("attempts"),
				database.getInstant(row, "staged_at"), database.getInstant(row, "died_at"),
				row.getString("last_error"));
	}

}
