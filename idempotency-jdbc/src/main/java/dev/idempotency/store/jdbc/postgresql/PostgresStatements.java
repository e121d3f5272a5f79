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

import java.util.Map;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.jdbc.connection.OwnTransactions;
import dev.idempotency.store.jdbc.sql.CatalogStatements;
import dev.idempotency.store.jdbc.sql.SqlDialect;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The statements of PostgreSQL.
 * <p>
 * A claim is several statements in one message, not one: at READ COMMITTED each has a
 * separate snapshot, and the read's is taken after the lock. A single statement would
 * miss the record of an owner that commits between snapshot and lock.
 * <p>
 * The arbiter of {@link #FINISH} is the primary key. Its {@code WHERE} makes the
 * statement touch no row when the present record is alive. The advisory lock in
 * {@link #LEASE} keeps a claim and a running transaction for the same identity apart; it
 * goes with the statement.
 * <p>
 * Words of PostgreSQL, besides those of every {@link Syntax}: {@code :records}, the table
 * of the records as an object of the catalog.
 */
public final class PostgresStatements extends Statements {

	/**
	 * The live record, or the lease.
	 */
	static final String READ = """
			select fingerprint, status, content, null::bigint, false, false,
				(date_part('epoch', expires_at - clock_timestamp()) * 1000000)::bigint, token
			from idempotency_record
			where id = ? and expires_at > clock_timestamp()
			union all
			select fingerprint, null, null, fence, lease_until <= clock_timestamp(),
				stuck_at is not null and not left_to_sender, null, null
			from idempotency_lease
			where id = ?""";

	private static final String RECORD = """
			insert into idempotency_record as present
				(id, account, operation, fingerprint, status, content, token, finished_at, expires_at)
			select ?, ?, %s, ?, ?, ?, ?, statement_timestamp(), statement_timestamp() + ? * interval '1 microsecond'
			""";

	private static final String REPLACE = """
			on conflict (id) do update set
				account = excluded.account, operation = excluded.operation, fingerprint = excluded.fingerprint,
				status = excluded.status, content = excluded.content, token = excluded.token,
				finished_at = excluded.finished_at, expires_at =
			""";

	private static final String ON_CONFLICT = REPLACE
			+ "excluded.expires_at where present.expires_at <= clock_timestamp()";

	/**
	 * A lease beside a record that was alive when the lease was made, or later: the
	 * record wins, and the lease stays.
	 */
	static final String LEFTOVER = """
			exists (select from idempotency_record r where r.id = l.id and r.expires_at > l.created_at)
			""";

	/**
	 * Reads like {@link #READ}, and deletes a left-over lease, including one that the
	 * previous statement has just made after it had to wait for an owner who finished.
	 * The claim and its end are one transaction.
	 */
	private static final String READ_AND_CLEAR = "with leftover as (delete from idempotency_lease l where id = ? and "
			+ LEFTOVER + " returning fence)\n" + READ + " and fence not in (select fence from leftover)";

	/**
	 * Lets the server notice within half a minute that the host of the owner is lost,
	 * instead of after the two hours of most operating systems. The settings end with the
	 * transaction, so that a pooler hands them to nobody. The number of probes is left to
	 * the operating system of the server, since not all can set it.
	 */
	static final String NOTICE_LOST_HOST = "set_config('tcp_keepalives_idle', '15', true), "
			+ "set_config('tcp_keepalives_interval', '2', true)";

	final String acquire = sql("select pg_try_advisory_xact_lock(?), set_config('idempotency.claimed', 'true', true), "
			+ NOTICE_LOST_HOST + ";\n" + READ);

	final String finishAfterRollback = sql(RECORD.formatted("?") + ON_CONFLICT);

	/**
	 * A live record cannot be a count here, which the COMMIT would not wait for: it makes
	 * the statement fail, and with it the message.
	 */
	private static final String ON_CONFLICT_OR_FAIL = REPLACE
			+ "case when present.expires_at <= clock_timestamp() then excluded.expires_at end";

	/**
	 * The name of the operation, which is null if the transaction is not that of the
	 * claim: the handler has ended that transaction, and its lock with it.
	 */
	private static final String CLAIMED_OR_FAIL = "case when current_setting('idempotency.claimed', true) = 'true' then ? end";

	final String finish = sql(RECORD.formatted(CLAIMED_OR_FAIL) + ON_CONFLICT);

	final String finishAndCommit = sql(RECORD.formatted(CLAIMED_OR_FAIL) + ON_CONFLICT_OR_FAIL + """
			;
			commit""");

	/**
	 * Counts up to each limit, for a new lease only: a CASE evaluates in textual order.
	 * Each uses a dedicated index, whose predicate no heartbeat changes. Limit 0 counts
	 * nothing, and is not reached.
	 */
	private static final String ROOM = """
			with present as materialized (
				select case
					when not pg_try_advisory_xact_lock(?) then null
					when exists (select from idempotency_record where id = ? and expires_at > clock_timestamp()) then null
					when exists (select from idempotency_lease where id = ?) then true
					else false
				end as leased),
			counted as materialized (
				select leased, case when not leased then (
						select count(*) from (select from idempotency_lease
							where namespace = ? and account = ? and stuck_at is null limit ?) as every)
					end as open
				from present),
			room as materialized (
				select open, leased or open < greatest(?, 1)
					and (select count(*) < greatest(?, 1) from (select from idempotency_lease
						where namespace = ? and account = ? and stuck_at is not null limit ?) as stuck) as free
				from counted),
			""";

	final String insertLease = sql(LeaseClaim.INSERT);

	final String lease = sql("""
			select pg_try_advisory_xact_lock(?);
			""" + ROOM
			+ """
					made as (
						insert into idempotency_lease as present
							(id, namespace, account, operation, fingerprint, command, fence, claim_number, lease_until, created_at,
								node)
						select ?, ?, ?, ?, ?, ?, :fence, :number, clock_timestamp() + ? * interval '1 microsecond',
							clock_timestamp(), ?
						from room
						where room.free
						on conflict (id) do update set
							fence = excluded.fence, lease_until = excluded.lease_until, attempts = present.attempts + 1,
							node = excluded.node, stuck_at = null, left_to_sender = false
						where (? or present.left_to_sender) and present.lease_until <= clock_timestamp()
							and not present.effects and (present.stuck_at is null or present.left_to_sender)
							and present.attempts - present.uncounted < ? and present.fingerprint = excluded.fingerprint
						returning fence, attempts, recovery_point, steps, claim_number)
					select fence, attempts, recovery_point, steps, open, claim_number from made, room
					union all
					select null, null, null, null, null, null from room where not free;
					"""
			+ READ_AND_CLEAR);

	/**
	 * The name of the operation. A lost lease makes the statement fail, by a cast of a
	 * text. The text contains the time, so that the planner does not evaluate it.
	 */
	private static final String OPERATION_OR_LOST = ("case when exists (select from mine) then ? "
			+ "else cast(cast(concat('%s0, ', clock_timestamp()) as integer) as text) end")
		.formatted(RefusedCommit.LOST);

	private static final String MINE = """
			with mine as (delete from idempotency_lease where id = ? and fence = ? returning id)
			""";

	final String finishLease = sql(MINE + RECORD.formatted("?") + "where exists (select from mine)\n" + ON_CONFLICT);

	final String finishLeaseAndCommit = sql(MINE + RECORD.formatted(OPERATION_OR_LOST) + ON_CONFLICT_OR_FAIL + """
			;
			commit""");

	/**
	 * The first 64 bits of a random UUID, 60 of which are random.
	 */
	private static final String RANDOM = "('x' || replace(left(gen_random_uuid()::text, 18), '-', ''))::bit(64)::bigint";

	private static final String COLUMNS = """
			select attname from pg_attribute
			where attrelid = to_regclass(?) and attnum > 0 and not attisdropped""";

	/**
	 * The unique index, without which the statement that stores an answer has no arbiter.
	 */
	private static final String UNIQUE = """
			select exists (
				select from pg_index
				where indrelid = to_regclass(?) and indisunique and indisvalid and indpred is null
				and (select string_agg(attname, ', ' order by position)
					from unnest(indkey) with ordinality as key(number, position)
					join pg_attribute on attrelid = indrelid and attnum = number
					where position <= indnkeyatts) = ?)""";

	private PostgresStatements(Syntax syntax) {
		super(syntax::in);
	}

	public static SqlDialect dialect(TableNames names) {
		Syntax syntax = new Syntax(
				Map.of("now", "clock_timestamp()", "later", "clock_timestamp() + ? * interval '1 microsecond'",
						"micros", "(extract(epoch from %s) * 1000000)::bigint", "fence", RANDOM, "number",
						"nextval('" + names.qualified("idempotency_claim_number") + "')", "records",
						"'" + names.qualified("idempotency_record") + "'::regclass"),
				names);
		return new SqlDialect("transaction-scoped advisory lock, one insert", OwnTransactions.ONE_MESSAGE,
				new PostgresRecords(syntax, new PostgresStatements(syntax)),
				(own, namespace) -> new PostgresUnfinished(own, namespace, syntax),
				(own, namespace) -> new PostgresOperators(own, namespace, syntax),
				new CatalogStatements(COLUMNS, UNIQUE, COLUMNS, null));
	}

}
