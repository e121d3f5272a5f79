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
package dev.idempotency.store.jdbc;

import java.sql.Array;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.database.TableNames;
import dev.idempotency.store.Identity;

/**
 * The operators' view of the tables on PostgreSQL: each method is one statement, on a
 * separate connection.
 */
final class PostgresOperatorStore extends JdbcOperatorStore {

	PostgresOperatorStore(Jdbc jdbc, TableNames names, String namespace) {
		super(jdbc, names, namespace, "clock_timestamp()");
	}

	/**
	 * The planner's estimate needs no count of rows, and survives a crash. Before the
	 * first ANALYZE it is -1, and the number in the statistics is used instead. A
	 * partitioned table has its rows in its partitions.
	 */
	private static final String RECORDS = """
			select coalesce(sum(case when reltuples < 0 then pg_stat_get_live_tuples(oid) else reltuples end), 0)::bigint
			from pg_class
			where relkind = 'r' and (oid = 'idempotency_record'::regclass
				or oid in (select inhrelid from pg_inherits where inhparent = 'idempotency_record'::regclass))
			""";

	/**
	 * The health indicator reads it: no more rows are read than are counted.
	 */
	private final String overview = sql("""
			with open as materialized (
				select id, created_at, operation, lease_until from idempotency_lease
				where namespace = ? and stuck_at is null limit %1$d),
			stuck as materialized (
				select lease_until from idempotency_lease
				where namespace = ? and stuck_at is not null limit %1$d),
			oldest as (
				select created_at, operation from (
					(select created_at, id, operation from open order by created_at, id limit 1)
					union all
					(select created_at, id, operation from idempotency_lease
						where namespace || '' = ? and stuck_at is not null order by created_at limit 1)) as both_kinds
				order by created_at, id limit 1)
			select (
			""".formatted(Overview.COUNTED) + RECORDS + """
			),
				(select count(*) from open where lease_until > clock_timestamp())
					+ (select count(*) from stuck where lease_until > clock_timestamp()),
				(select count(*) from open where lease_until <= clock_timestamp()),
				(select count(*) from stuck where lease_until <= clock_timestamp()),
				(select (extract(epoch from clock_timestamp() - created_at) * 1000000)::bigint from oldest),
				(select operation from oldest)""");

	@Override
	public Overview overview() {
		return this.jdbc.separately((session) -> session.queryOne(this.overview, Rows::overview, this.namespace,
				this.namespace, this.namespace));
	}

	/**
	 * Deletes in batches in the order of the primary key, which never changes: no record
	 * is examined twice, even if others are written meanwhile. The condition on the
	 * record itself is checked again when its row has been locked.
	 */
	private final String deleteFinished = sql("""
			with page as (
				select id, account from idempotency_record where id > ? order by id limit ?),
			gone as (
				delete from idempotency_record r using page
				where r.id = page.id and page.account = ? and r.account = page.account
				returning r.id)
			select (select array_agg(id) from gone), (select id from page order by id offset ? - 1)""");

	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return this.jdbc.separately((session) -> session.queryOne(this.deleteFinished,
				(row) -> new Sweep(identities(row.getArray(1), account), row.getBytes(2)),
				(after != null) ? after : START, limit, account, limit));
	}

	private static List<Identity> identities(@Nullable Array ids, byte[] account) throws SQLException {
		return (ids != null) ? Stream.of((byte[][]) ids.getArray()).map((id) -> new Identity(id, account)).toList()
				: List.of();
	}

}
