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
 * The statements of PostgreSQL.
 * <p>
 * A claim is several statements in one message, not one: at READ COMMITTED each has a
 * snapshot of its own, and the read's is taken after the lock. In a single statement the
 * record of an owner who committed between snapshot and lock would be missed.
 * <p>
 * The arbiter of {@link #FINISH} is the primary key. Its {@code WHERE} makes the
 * statement touch no row when the present record is alive. The advisory lock in
 * {@link #LEASE} keeps a claim and a running transaction for the same identity apart; it
 * goes with the statement.
 */
final class PostgresStatements {

	private static final String READ = """
			select fingerprint, status, content, null::bigint, false,
				date_part('epoch', expires_at - clock_timestamp())
			from idempotency_record
			where id = ? and expires_at > clock_timestamp()
			union all
			select fingerprint, null, null, fence, lease_until <= clock_timestamp(), null from idempotency_lease
			where id = ?""";

	private static final String RECORD = """
			insert into idempotency_record as present
				(id, account, operation, fingerprint, status, content, finished_at, expires_at)
			select ?, ?, ?, ?, ?, ?, t, t + make_interval(secs => ?) from clock_timestamp() as t
			""";

	private static final String ON_CONFLICT = """
			on conflict (id) do update set
				account = excluded.account, operation = excluded.operation, fingerprint = excluded.fingerprint,
				status = excluded.status, content = excluded.content,
				finished_at = excluded.finished_at, expires_at = excluded.expires_at
			where present.expires_at <= clock_timestamp()""";

	private static final String ACQUIRE = """
			select pg_try_advisory_xact_lock(?);
			""" + READ;

	private static final String FINISH = RECORD + ON_CONFLICT;

	private static final String LEASE = """
			select pg_try_advisory_xact_lock(?);
			insert into idempotency_lease as present
				(id, account, operation, fingerprint, command, fence, lease_until, created_at)
			select ?, ?, ?, ?, ?, nextval('idempotency_fence'), t + make_interval(secs => ?), t
			from clock_timestamp() as t
			where pg_try_advisory_xact_lock(?)
				and not exists (select from idempotency_record where id = ? and expires_at > clock_timestamp())
			on conflict (id) do update set
				fence = excluded.fence, lease_until = excluded.lease_until, attempts = present.attempts + 1
			where ? and present.lease_until <= clock_timestamp() and not present.effects
				and present.stuck_at is null and present.attempts - present.uncounted < ?
				and present.fingerprint = excluded.fingerprint
			returning fence, attempts, recovery_point, steps;
			""" + READ;

	private static final String EXTEND = """
			update idempotency_lease set lease_until = clock_timestamp() + make_interval(secs => ?)
			where (id, fence) in (
				select l.id, l.fence from idempotency_lease l
				join unnest(?::bytea[], ?::bigint[]) as mine(id, fence) on l.id = mine.id and l.fence = mine.fence
				for no key update of l skip locked)""";

	private static final String CONFIRM = """
			update idempotency_lease set effects = effects or ? where id = ? and fence = ?""";

	private static final String IS_HELD = """
			select from idempotency_lease where id = ? and fence = ?""";

	/**
	 * Phases are SERIALIZABLE. There a sequential scan of the small table of leases puts
	 * a predicate lock on all of it, and phases of different requests that run at the
	 * same time fail with 40001; the way over the primary key locks one row.
	 */
	private static final String BY_INDEX = """
			select set_config('idempotency.seqscan', current_setting('enable_seqscan'), true),
				set_config('enable_seqscan', 'off', true);
			""";

	private static final String AS_BEFORE = """
			;
			select set_config('enable_seqscan', current_setting('idempotency.seqscan'), true)""";

	/**
	 * The advisory lock is the one that a claim tries: a duplicate of a phase that takes
	 * longer than its lease is told at once, instead of waiting for the row.
	 */
	private static final String HOLD = BY_INDEX + """
			select pg_advisory_xact_lock(?);
			select from idempotency_lease where id = ? and fence = ? for no key update""" + AS_BEFORE;

	private static final String ADVANCE = BY_INDEX + """
			update idempotency_lease set recovery_point = ?, steps = ?,
				lease_until = clock_timestamp() + make_interval(secs => ?)
			where id = ? and fence = ?""" + AS_BEFORE;

	private static final String INTERRUPT = """
			update idempotency_lease set lease_until = clock_timestamp(), last_error = ?, uncounted = uncounted + ?
			where id = ? and fence = ?""";

	private static final String FINISH_LEASE = """
			with mine as (delete from idempotency_lease where id = ? and fence = ? returning id)
			""" + RECORD + "where exists (select from mine)\n" + ON_CONFLICT;

	private static final String FINISH_PHASE = BY_INDEX + FINISH_LEASE + AS_BEFORE;

	private static final String RELEASE = """
			delete from idempotency_lease where id = ? and fence = ?""";

	private static final String ABANDON = """
			update idempotency_lease l set lease_until = clock_timestamp()
			from unnest(?::bytea[], ?::bigint[]) as mine(id, fence)
			where l.id = mine.id and l.fence = mine.fence""";

	private static final String SUPERSEDE = """
			delete from idempotency_lease
			where id = ? and fence = ? and lease_until <= clock_timestamp() and not effects
				and recovery_point is null and stuck_at is null""";

	private static final String PARTITIONS = """
			select coalesce(p.inhrelid, t.oid)::regclass::text
			from pg_class t left join pg_inherits p on p.inhparent = t.oid
			where t.oid = 'idempotency_record'::regclass""";

	private static final String DELETE_EXPIRED = """
			delete from %1$s where ctid = any(array(
				select ctid from %1$s where expires_at <= now()
				order by expires_at limit ? for update skip locked))
			and expires_at <= now()""";

	private static final String NOW = """
			select clock_timestamp()""";

	static final SqlDialect DIALECT = new SqlDialect("PostgreSQL", ACQUIRE, FINISH, LEASE, EXTEND, CONFIRM, IS_HELD,
			HOLD, ADVANCE, INTERRUPT, FINISH_LEASE, FINISH_PHASE, RELEASE, ABANDON, SUPERSEDE, PARTITIONS,
			DELETE_EXPIRED, NOW);

	private PostgresStatements() {
	}

}
