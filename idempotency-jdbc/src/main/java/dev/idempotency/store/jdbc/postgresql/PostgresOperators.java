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
package dev.idempotency.store.jdbc.postgresql;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.HistoryText;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * The view of operators: each method is one statement.
 *
 * @param own the connection of each
 * @param namespace the application
 */
record PostgresOperators(OwnConnection own, String namespace) implements OperatorStore {

	private static final byte[] START = {};

	/**
	 * The planner's estimate counts no row, and survives a crash. Before the first
	 * ANALYZE it is -1, and the statistics' own count stands in. A partitioned table has
	 * its rows in its partitions.
	 */
	private static final String RECORDS = """
			select coalesce(sum(case when reltuples < 0 then pg_stat_get_live_tuples(oid) else reltuples end), 0)::bigint
			from pg_class
			where relkind = 'r' and (oid = to_regclass('idempotency_record')
				or oid in (select inhrelid from pg_inherits where inhparent = to_regclass('idempotency_record')))
			""";

	/**
	 * The health asks for it: no more rows are read than are counted.
	 */
	private static final String OVERVIEW = """
			with open as materialized (
				select id, created_at, operation, lease_until from idempotency_lease
				where namespace = ? and stuck_at is null limit :limit),
			stuck as materialized (
				select lease_until from idempotency_lease
				where namespace = ? and stuck_at is not null limit :limit),
			oldest as (
				select created_at, operation from (
					(select created_at, id, operation from open order by created_at, id limit 1)
					union all
					(select created_at, id, operation from idempotency_lease
						where namespace || '' = ? and stuck_at is not null order by created_at limit 1)) as both_kinds
				order by created_at, id limit 1)
			select (
			""".replace(":limit", Integer.toString(Overview.COUNTED)) + RECORDS + """
			),
				(select count(*) from open where lease_until > clock_timestamp())
					+ (select count(*) from stuck where lease_until > clock_timestamp()),
				(select count(*) from open where lease_until <= clock_timestamp()),
				(select count(*) from stuck where lease_until <= clock_timestamp()),
				(select extract(epoch from clock_timestamp() - created_at)::float8 from oldest),
				(select operation from oldest)""";

	private static final String FIND = """
			select account, operation, status, content, finished_at, expires_at, fingerprint, history
			from idempotency_record where id = ? and expires_at > clock_timestamp()""";

	private static final String BETWEEN = """
			select id, account from idempotency_record where id between ? and ?
			union select id, account from idempotency_lease where namespace = ? and id between ? and ?
			order by id limit ?""";

	private static final String COUNT_UNFINISHED = """
			select count(*) from idempotency_lease where namespace = ? and account = ?""";

	private static final String DELETE_UNFINISHED = """
			delete from idempotency_lease where namespace = ? and account = ? and lease_until <= clock_timestamp()""";

	/**
	 * Deletes in batches by the primary key, which never moves: a record written
	 * meanwhile lies before or behind, and none is examined twice. The condition on the
	 * record itself is looked at again when its row was locked.
	 */
	private static final String DELETE_FINISHED = """
			with page as (
				select id, account from idempotency_record where id > ? order by id limit ?),
			gone as (
				delete from idempotency_record r using page
				where r.id = page.id and page.account = ? and r.account = page.account
				returning r.id)
			select (select array_agg(id) from gone), (select id from page order by id offset ? - 1)""";

	@Override
	public Overview overview() {
		return run((jdbc) -> jdbc.queryOne(OVERVIEW, (row) -> {
			String operation = row.getString(6);
			Overview.Oldest oldest = (operation != null)
					? new Overview.Oldest(Duration.ofMillis((long) (row.getDouble(5) * 1000)), operation) : null;
			return new Overview(row.getLong(1), row.getInt(2), row.getInt(3), row.getInt(4), oldest);
		}, this.namespace, this.namespace, this.namespace));
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		return run((jdbc) -> jdbc.query(FIND,
				(row) -> new KeptRecord(new Identity(identity.digest(), row.getBytes(1)), row.getString(2),
						row.getBytes(7), new StoredAnswer(row.getShort(3), row.getBytes(4)), instant(row, 5),
						instant(row, 6), HistoryText.parse(row.getString(8))),
				(Object) identity.digest()))
			.stream()
			.findFirst();
	}

	private static Instant instant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	@Override
	public List<Identity> between(byte[] first, byte[] last, int limit) {
		return run((jdbc) -> jdbc.query(BETWEEN, (row) -> new Identity(row.getBytes(1), row.getBytes(2)), first, last,
				this.namespace, first, last, limit));
	}

	@Override
	public int countUnfinished(byte[] account) {
		return run((jdbc) -> jdbc.queryOne(COUNT_UNFINISHED, (row) -> row.getInt(1), this.namespace, account));
	}

	@Override
	public int deleteUnfinished(byte[] account) {
		return run((jdbc) -> jdbc.update(DELETE_UNFINISHED, this.namespace, account));
	}

	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return run((jdbc) -> jdbc.queryOne(DELETE_FINISHED,
				(row) -> new Sweep(identities(row.getArray(1), account), row.getBytes(2)),
				(after != null) ? after : START, limit, account, limit));
	}

	private <T> T run(Jdbc.Work<T> work) {
		return this.own.run((connection) -> work.apply(new Jdbc(connection)));
	}

	private static List<Identity> identities(@Nullable Array ids, byte[] account) throws SQLException {
		return (ids != null) ? Stream.of((byte[][]) ids.getArray()).map((id) -> new Identity(id, account)).toList()
				: List.of();
	}

}
