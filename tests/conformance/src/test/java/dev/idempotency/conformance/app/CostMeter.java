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
package dev.idempotency.conformance.app;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tells what an action costs the database, by the database's own statistics and by what
 * went over the wire.
 */
public final class CostMeter {

	/**
	 * Time that a connection may be idle before Hikari tests it, with a round trip.
	 */
	private static final String BYPASS_WINDOW = "com.zaxxer.hikari.aliveBypassWindowMs";

	private final PostgresTap tap;

	private final List<HikariDataSource> pools;

	private final JdbcTemplate statistics;

	private final String name;

	/**
	 * Creates a meter.
	 * @param tap between the application and its database
	 * @param pools those of all applications on the database: a session that is idle
	 * publishes after ten seconds what it did before, which would be the action's
	 * @param statistics another database of the same server, so that what the meter does
	 * is not counted
	 * @param name the name of the application's database
	 */
	public CostMeter(PostgresTap tap, List<HikariDataSource> pools, TestDatabase statistics, String name) {
		this.tap = tap;
		this.pools = pools;
		this.statistics = new JdbcTemplate(
				new DriverManagerDataSource(statistics.jdbcUrl(), statistics.username(), statistics.password()));
		this.statistics.execute("create extension if not exists pg_stat_statements");
		this.name = name;
	}

	/**
	 * Starts an application whose pool does not test its connections: how often it does
	 * depends on the speed of the machine.
	 * @param <T> what stands for the application
	 * @param application starts it, pool included
	 * @return the application
	 */
	public static <T> T withoutTestsOfConnections(Supplier<T> application) {
		System.setProperty(BYPASS_WINDOW, "3600000");
		try {
			return application.get();
		}
		finally {
			System.clearProperty(BYPASS_WINDOW);
		}
	}

	public Cost measure(Runnable action) {
		publishStatistics();
		Counters before = counters();
		this.tap.clear();
		action.run();
		List<String> roundTrips = this.tap.roundTrips();
		int own = publishStatistics();
		Counters after = counters();
		return new Cost(roundTrips, after.statements() - before.statements(), after.commits() - before.commits() - own,
				after.rollbacks() - before.rollbacks(), after.transactionIds() - before.transactionIds());
	}

	private Counters counters() {
		return this.statistics.queryForObject("""
				select (select coalesce(sum(s.calls), 0) from pg_stat_statements s
						where s.dbid = d.datid and s.query not in ('BEGIN', 'COMMIT', 'ROLLBACK')
						and s.query not like '%pg_stat%'),
					d.xact_commit, d.xact_rollback, pg_snapshot_xmax(pg_current_snapshot())::text::bigint
				from pg_stat_database d where d.datname = ?""",
				(row, index) -> new Counters(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)),
				this.name);
	}

	/**
	 * A session publishes its counts once a second unless it is asked to, and only after
	 * it has touched a table.
	 * @return how many transactions that took, one for each idle connection
	 */
	private int publishStatistics() {
		return this.pools.stream().mapToInt(CostMeter::publish).sum();
	}

	private static int publish(HikariDataSource pool) {
		int idle = pool.getMaximumPoolSize() - pool.getHikariPoolMXBean().getActiveConnections();
		List<Connection> connections = new ArrayList<>();
		try {
			for (int i = 0; i < idle; i++) {
				connections.add(pool.getConnection());
			}
			for (Connection connection : connections) {
				try (connection; Statement statement = connection.createStatement()) {
					statement.execute("select pg_stat_force_next_flush() from pg_class limit 1");
				}
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return idle;
	}

	/**
	 * The cost of an action.
	 *
	 * @param roundTrips the round trips, in their order, as {@link PostgresTap} writes
	 * them down
	 * @param statements the statements without those that begin and end transactions, of
	 * which pg_stat_statements counts no more than the first when they are prepared
	 * @param commits the committed transactions
	 * @param rollbacks the transactions that were rolled back
	 * @param transactionIds the transaction ids that were assigned: a transaction that
	 * only reads has none
	 */
	public record Cost(List<String> roundTrips, long statements, long commits, long rollbacks, long transactionIds) {
	}

	private record Counters(long statements, long commits, long rollbacks, long transactionIds) {
	}

}
