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

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Execution;

/**
 * Picks due jobs on PostgreSQL, by a search that costs the same however many jobs have
 * gone through the table.
 * <ol>
 * <li>Rows are updated where they were found: a join would read the whole table as soon
 * as the planner considers it small. The planner only learns that a few rows are wanted,
 * in the order of an index: it sees the limit, but not the times, and the types match
 * nearly all jobs. Otherwise outdated statistics could make it read the table, or the
 * primary key, from end to end.</li>
 * <li>A search begins where the last one has ended, or at the earliest job that this node
 * has staged since. The rows before it are dead rows of completed jobs, which an index
 * keeps until vacuum may remove them.</li>
 * <li>After each polling interval a search begins at the earliest job of all: other nodes
 * may have left some, and failed ones are due again. While there is an old snapshot such
 * a search takes longer each time, and is then made less often: it gets a twentieth of
 * the time.</li>
 * <li>Jobs of types without a handler on this node are left alone.</li>
 * </ol>
 */
final class DueJobs extends PostgreSqlJdbcCustomization {

	private static final String PICK = """
			update %1$s set picked = true, picked_by = ?, last_heartbeat = ?, version = version + 1
			where ctid = any (array(
				select ctid from %1$s
				where not picked and execution_time >= (select cast(? as timestamptz))
					and execution_time <= (select cast(? as timestamptz)) and array_position(?, task_name) is not null
				order by execution_time limit %2$d for update skip locked))
			returning *""";

	private static final int SHARE = 20;

	/** As long as the column of db-scheduler's own tables. */
	private static final int MAX_NAME = 50;

	private final Supplier<List<String>> types;

	private final long interval;

	private final AtomicReference<Instant> staged = new AtomicReference<>(Instant.MAX);

	/** The earliest time of the jobs known to this node. */
	private Instant front = Instant.EPOCH;

	private long nextOfAll = System.nanoTime();

	/**
	 * Creates a search.
	 * @param types the names of the types that this node has handlers for
	 * @param pollingInterval the time between two searches for jobs of others
	 */
	DueJobs(Supplier<List<String>> types, Duration pollingInterval) {
		super(false, false);
		this.types = types;
		// A regular poll must not come just before the interval has passed.
		this.interval = pollingInterval.toNanos() * 9 / 10;
	}

	/**
	 * Records that this node has committed a job.
	 * @param executionTime the time at which it is due
	 */
	void staged(Instant executionTime) {
		this.staged.accumulateAndGet(executionTime, DueJobs::earlier);
	}

	private static Instant earlier(Instant one, Instant other) {
		return one.isBefore(other) ? one : other;
	}

	@Override
	public List<Execution> lockAndFetchSingleStatement(JdbcTaskRepositoryContext context, Instant now, int limit,
			boolean orderByPriority) {
		Instant known = earlier(this.staged.getAndSet(Instant.MAX), this.front);
		// A search that fails has left all jobs.
		this.front = Instant.EPOCH;
		long start = System.nanoTime();
		boolean all = start - this.nextOfAll >= 0 || known.equals(Instant.EPOCH);
		Instant from = all ? Instant.EPOCH : known;
		List<Execution> picked = from.isAfter(now) ? List.of() : pick(context, from, now, limit);
		if (all) {
			long end = System.nanoTime();
			this.nextOfAll = start + Math.max(this.interval, (end - start) * SHARE);
		}
		this.front = rest(picked, from.isAfter(now) ? from : Instant.MAX, limit);
		return picked;
	}

	/**
	 * Returns the time before which no jobs are left to pick.
	 */
	private static Instant rest(List<Execution> picked, Instant later, int limit) {
		return (picked.size() < limit) ? later
				: picked.stream().map(Execution::getExecutionTime).max(Comparator.naturalOrder()).orElse(later);
	}

	private List<Execution> pick(JdbcTaskRepositoryContext context, Instant from, Instant now, int limit) {
		return context.jdbcRunner.query(PICK.formatted(context.tableName, limit),
				(statement) -> bind(statement, context.schedulerName.getName(), from, now),
				context.resultSetMapper.get());
	}

	private void bind(PreparedStatement statement, String node, Instant from, Instant now) throws SQLException {
		statement.setString(1, node.substring(0, Math.min(node.length(), MAX_NAME)));
		setInstant(statement, 2, now);
		setInstant(statement, 3, from);
		setInstant(statement, 4, now);
		statement.setArray(5, statement.getConnection().createArrayOf("text", this.types.get().toArray()));
	}

}
