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
package dev.idempotency.store.jpa;

/**
 * The statements of one database, each written once.
 *
 * @param name the database's name, for the log
 * @param acquire tries to lock the identity for the transaction, and then reads its live
 * record or its lease: two statements in one round trip. Parameters: lock key, id, id.
 * Results: (acquired), (fingerprint, status, content, fence, expired)
 * @param finish writes a complete record, or nothing where there is a live one.
 * Parameters: id, account, operation, fingerprint, status, content, ttl in seconds
 * @param lease commits a claim, and then reads as {@code acquire} does. Parameters: lock
 * key, id, account, operation, fingerprint, seconds, lock key, id, takeover, id, id.
 * Results: (acquired), (fence), (fingerprint, status, content, fence, expired)
 * @param extend moves the end of claims. Parameters: seconds, ids, fences
 * @param confirm checks a claim, keeps it, and marks that it has effects. Parameters: id,
 * fence
 * @param finishLease ends a claim and writes its record. Parameters: id, fence and those
 * of {@code finish}
 * @param release ends a claim. Parameters: id, fence
 * @param abandon lets claims expire. Parameters: ids, fences
 * @param supersede takes an expired claim away. Parameters: id, fence
 * @param deleteExpired deletes expired records that nobody else has locked. Parameter:
 * limit
 */
record SqlDialect(String name, String acquire, String finish, String lease, String extend, String confirm,
		String finishLease, String release, String abandon, String supersede, String deleteExpired) {

	private static final String READ = """
			select fingerprint, status, content, null::bigint, false from idempotency_record
			where id = ? and expires_at > clock_timestamp()
			union all
			select fingerprint, null, null, fence, lease_until <= clock_timestamp() from idempotency_lease
			where id = ?""";

	private static final String ON_CONFLICT = """
			on conflict (id) do update set
				account = excluded.account, operation = excluded.operation, fingerprint = excluded.fingerprint,
				status = excluded.status, content = excluded.content,
				finished_at = excluded.finished_at, expires_at = excluded.expires_at
			where present.expires_at <= clock_timestamp()""";

	private static final String RECORD = """
			insert into idempotency_record as present
				(id, account, operation, fingerprint, status, content, finished_at, expires_at)
			select ?, ?, ?, ?, ?, ?, t, t + make_interval(secs => ?) from clock_timestamp() as t
			""";

	/**
	 * Several statements, not one: at READ COMMITTED each has a snapshot of its own, and
	 * the read's is taken after the lock. In a single statement the record of an owner
	 * who committed between snapshot and lock would be missed.
	 * <p>
	 * The arbiter of {@code finish} is the primary key. Its {@code WHERE} makes the
	 * statement touch no row when the present record is alive. The advisory lock in
	 * {@code lease} keeps a claim and a running transaction for the same identity apart;
	 * it goes with the statement.
	 */
	static final SqlDialect POSTGRESQL = new SqlDialect("PostgreSQL", """
			select pg_try_advisory_xact_lock(?);
			""" + READ, RECORD + ON_CONFLICT, """
			select pg_try_advisory_xact_lock(?);
			insert into idempotency_lease as present
				(id, account, operation, fingerprint, fence, lease_until, created_at)
			select ?, ?, ?, ?, nextval('idempotency_fence'), t + make_interval(secs => ?), t
			from clock_timestamp() as t
			where pg_try_advisory_xact_lock(?)
				and not exists (select from idempotency_record where id = ? and expires_at > clock_timestamp())
			on conflict (id) do update set
				fence = excluded.fence, lease_until = excluded.lease_until, attempts = present.attempts + 1
			where ? and present.lease_until <= clock_timestamp() and not present.effects
				and present.fingerprint = excluded.fingerprint
			returning fence;
			""" + READ, """
			update idempotency_lease set lease_until = clock_timestamp() + make_interval(secs => ?)
			where (id, fence) in (
				select l.id, l.fence from idempotency_lease l
				join unnest(?::bytea[], ?::bigint[]) as mine(id, fence) on l.id = mine.id and l.fence = mine.fence
				for no key update of l skip locked)""", """
			update idempotency_lease set effects = true where id = ? and fence = ?""", """
			with mine as (delete from idempotency_lease where id = ? and fence = ? returning id)
			""" + RECORD + "where exists (select from mine)\n" + ON_CONFLICT, """
			delete from idempotency_lease where id = ? and fence = ?""", """
			update idempotency_lease l set lease_until = clock_timestamp()
			from unnest(?::bytea[], ?::bigint[]) as mine(id, fence)
			where l.id = mine.id and l.fence = mine.fence""", """
			delete from idempotency_lease
			where id = ? and fence = ? and lease_until <= clock_timestamp() and not effects""", """
			delete from idempotency_record where ctid = any(array(
				select ctid from idempotency_record where expires_at <= now()
				order by expires_at limit ? for update skip locked))
			and expires_at <= now()""");

}
