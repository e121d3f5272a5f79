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
package dev.idempotency.history;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.idempotency.history.HistoryChecker.LeaseChange;
import dev.idempotency.history.HistoryChecker.LeaseState;
import dev.idempotency.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The tables of the application, and what the database knows of a run, on connections
 * that take part in no transaction. Times are those of its clock, in microseconds.
 */
final class Evidence {

	/**
	 * A handler that is held at a place tells again and again that it is there, and reads
	 * in the same round trip whether it may go on.
	 */
	private static final String TABLES = """
			create table effect (id uuid primary key, order_key text not null, part text not null);
			create table account (id int primary key, orders bigint not null default 0);
			insert into account (id) select generate_series(0, %d);
			create table opened (order_key text, place text, primary key (order_key, place));
			create table beat (number bigint generated always as identity, order_key text not null, place text not null,
				at timestamptz not null default clock_timestamp())""".formatted(Order.ACCOUNTS - 1);

	/**
	 * Each committed change of a lease. One transaction at a time changes a lease, so the
	 * numbers of its changes are in their order.
	 */
	private static final String LEASE_CHANGES = """
			create table lease_change (number bigint generated always as identity, id text not null,
				said timestamptz not null default statement_timestamp(), at timestamptz not null default clock_timestamp(),
				fence_before bigint, until_before timestamptz, effects_before boolean,
				fence_after bigint, until_after timestamptz, effects_after boolean);
			create function note_lease_change() returns trigger language plpgsql as $$
				begin
					insert into lease_change (id, fence_before, until_before, effects_before,
						fence_after, until_after, effects_after)
					values (encode(coalesce(new.id, old.id), 'hex'), old.fence, old.lease_until, old.effects,
						new.fence, new.lease_until, new.effects);
					return null;
				end $$;
			create trigger note_lease_change after insert or update or delete on idempotency_lease
				for each row execute function note_lease_change()""";

	private static final String LEFT = """
			select format('advisory lock %s-%s of session %s', l.classid, l.objid, l.pid)
				from pg_locks l join pg_database d on d.oid = l.database
				where l.locktype = 'advisory' and d.datname = current_database()
			union all
			select format('open transaction of session %s since %s', pid, xact_start) from pg_stat_activity
				where datname = current_database() and state like 'idle in transaction%'
			union all
			select format('lease of %s %s with fence %s', operation, encode(id, 'hex'), fence)
				from idempotency_lease where namespace <> ''""";

	private final TestDatabase database;

	private final JdbcClient jdbc;

	Evidence(TestDatabase database) {
		this.database = database;
		this.jdbc = JdbcClient
			.create(new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
		database.execute(TABLES);
	}

	/**
	 * Notes all changes of leases from now on. A node has created the table.
	 */
	void noteLeaseChanges() {
		this.database.execute(LEASE_CHANGES);
	}

	/**
	 * Lets the handler of an order go on from a place.
	 */
	void open(String key, String place) {
		this.jdbc.sql("insert into opened values (?, ?) on conflict do nothing").params(key, place).update();
	}

	/**
	 * The times at which the handler of an order has told that it is held.
	 */
	List<Long> beats(String key) {
		return this.jdbc.sql("select " + micros("at") + " from beat where order_key = ? order by number")
			.param(key)
			.query(Long.class)
			.list();
	}

	/**
	 * The lease of a request, {@code null} if there is none.
	 * @param id the id of the request
	 */
	@Nullable LeaseState lease(String id) {
		return this.jdbc
			.sql("select fence, " + micros("lease_until")
					+ ", effects from idempotency_lease where id = decode(?, 'hex')")
			.param(id)
			.query((row, number) -> new LeaseState(row.getLong(1), row.getLong(2), row.getBoolean(3)))
			.list()
			.stream()
			.findFirst()
			.orElse(null);
	}

	/**
	 * Tests whether a statement waits for a lock of a session.
	 * @param session the process id of the session
	 * @param text a part of the statement
	 */
	boolean isAwaited(int session, String text) {
		return this.jdbc
			.sql("select count(*) from pg_stat_activity where ? = any(pg_blocking_pids(pid)) and query like ?")
			.params(session, "%" + text + "%")
			.query(Integer.class)
			.single() > 0;
	}

	/**
	 * The changes of leases, by the id of their request.
	 */
	Map<String, List<LeaseChange>> leaseChanges() {
		Map<String, List<LeaseChange>> changes = new TreeMap<>();
		this.jdbc
			.sql("select id, %s, %s, fence_before, %s, effects_before, fence_after, %s, effects_after"
				.formatted(micros("said"), micros("at"), micros("until_before"), micros("until_after"))
					+ " from lease_change order by number")
			.query((row) -> {
				changes.computeIfAbsent(row.getString(1), (id) -> new ArrayList<>())
					.add(new LeaseChange(row.getLong(2), row.getLong(3), state(row, 4), state(row, 7)));
			});
		return changes;
	}

	/**
	 * The number of times that the committed effects of a request were forgotten.
	 * @param id the id of the request
	 */
	int forgottenEffects(String id) {
		return this.jdbc.sql("""
				select count(*) from lease_change
				where id = ? and effects_before and not effects_after""").param(id).query(Integer.class).single();
	}

	private static @Nullable LeaseState state(ResultSet row, int column) throws SQLException {
		long fence = row.getLong(column);
		return row.wasNull() ? null : new LeaseState(fence, row.getLong(column + 1), row.getBoolean(column + 2));
	}

	private static String micros(String column) {
		return "(extract(epoch from %s) * 1000000)::bigint".formatted(column);
	}

	/**
	 * The ids of rows, by step and key.
	 */
	Map<String, Map<String, List<String>>> rows() {
		Map<String, Map<String, List<String>>> rows = new HashMap<>();
		this.jdbc.sql("select part, order_key, id from effect").query((row) -> {
			rows.computeIfAbsent(row.getString(1), (part) -> new HashMap<>())
				.computeIfAbsent(row.getString(2), (key) -> new ArrayList<>())
				.add(row.getString(3));
		});
		return rows;
	}

	/**
	 * Locks, open transactions and leases, which nobody needs when nobody works.
	 */
	List<String> left() {
		return this.jdbc.sql(LEFT).query(String.class).list();
	}

}
