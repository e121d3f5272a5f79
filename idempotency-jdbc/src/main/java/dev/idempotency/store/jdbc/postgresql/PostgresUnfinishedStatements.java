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

/**
 * The statements of PostgreSQL on unfinished requests, for the completer and operators.
 */
final class PostgresUnfinishedStatements {

	private static final String COLUMNS = """
			l.id, l.account, l.fence, l.operation, l.fingerprint, l.created_at, l.lease_until,
				l.lease_until > clock_timestamp(), l.effects, l.attempts, l.recovery_point, l.steps, l.command,
				l.retry_at, l.stuck_at, l.last_error, l.history
			""";

	/**
	 * Deletes left-over claims, none of which the rest of the statement claims or finds
	 * to be stuck. Locked rows are skipped, and stuck requests are kept: none of these is
	 * executed past its lease.
	 */
	private static final String DELETE_LEFTOVERS = """
			with leftovers as (
				delete from idempotency_lease where id in (
					select l.id from idempotency_lease l
					where namespace = ? and stuck_at is null and lease_until <= clock_timestamp() and
			""" + PostgresStatements.LEFTOVER + """
					for update skip locked)),
			""";

	/**
	 * The claim sets the time of the next attempt, so that an attempt that crashes its
	 * node has one, too. It is partly random: other requests of that node do not run
	 * beside the same one each time. The power is computed from its logarithm, which
	 * cannot overflow.
	 * <p>
	 * The requests of an account are ordered by the time since they have been due: a
	 * failed attempt puts its request behind those that have waited. Each account has the
	 * same chance of the next turn, no matter how many requests it has. The conditions
	 * are repeated where the row is locked, since it may have changed.
	 */
	static final String CLAIM_DUE = DELETE_LEFTOVERS + """
			waiting as (
				select id, account, fence, coalesce(retry_at, lease_until + make_interval(secs => ?)) as due_at
				from idempotency_lease l
				where namespace = ? and lease_until <= clock_timestamp() and not effects and stuck_at is null
					and command is not null and attempts - uncounted < ?
					and not
			""" + PostgresStatements.LEFTOVER + """
				),
			queue as materialized (
				select id, fence, row_number() over (partition by account order by due_at, id) as turn
				from waiting where due_at <= clock_timestamp()),
			due as (
				select l.id, l.attempts - l.uncounted as counted
				from idempotency_lease l join queue on l.id = queue.id and l.fence = queue.fence
				where l.namespace = ? and l.stuck_at is null and not l.effects
					and l.lease_until <= clock_timestamp()
				order by queue.turn, random() limit ? for no key update of l skip locked)
			update idempotency_lease l set
				fence = nextval('idempotency_fence'), attempts = l.attempts + 1,
				lease_until = clock_timestamp() + make_interval(secs => ?),
				retry_at = clock_timestamp() + make_interval(secs => (0.8 + 0.2 * random()) *
					least(?::float8, ?::float8 * exp(least(due.counted * ln(?::float8), 100)))),
			""" + PostgresStatements.HISTORY.formatted("l.") + """

			from due where l.id = due.id
			returning
			""" + COLUMNS;

	/**
	 * A locked row belongs to a live owner, whatever its lease says: it is examined again
	 * later.
	 */
	static final String MARK_STUCK = DELETE_LEFTOVERS + """
			stuck as (
				select id from idempotency_lease l
				where namespace = ? and lease_until <= clock_timestamp() and stuck_at is null
					and (effects or attempts - uncounted >= ?
						or lease_until < clock_timestamp() - make_interval(secs => ?))
					and not
			""" + PostgresStatements.LEFTOVER + """
				for no key update skip locked)
			update idempotency_lease l set stuck_at = clock_timestamp()
			from stuck where l.id = stuck.id
			returning l.operation""";

	static final String FIND = "select " + COLUMNS + "from idempotency_lease l where namespace = ? and id = ?";

	/**
	 * Lists leave out the content of requests, which may have a megabyte each.
	 */
	private static final String LIST = "select " + COLUMNS.replace("l.steps, l.command", "null::bytea, null::bytea")
			+ """
					from idempotency_lease l
					where namespace || '' = ? and (created_at, id) > (?, ?)%s order by created_at, id limit ?""";

	/**
	 * Lists in the order of an index, so that no more rows are read than are listed. A
	 * condition with a parameter would hide the partial one.
	 */
	static final String LIST_OPEN = LIST.formatted("");

	static final String LIST_STUCK = LIST.formatted(" and stuck_at is not null");

	/**
	 * The lease ends now, not when it did: its sender has the full time again before the
	 * request is marked as stuck.
	 */
	static final String RETRY = """
			update idempotency_lease set fence = nextval('idempotency_fence'), stuck_at = null, uncounted = attempts,
				retry_at = clock_timestamp(), lease_until = clock_timestamp(), effects = false,
			""" + PostgresStatements.HISTORY.formatted("") + """

			where namespace = ? and id = ? and fence = ? and effects = ? and lease_until <= clock_timestamp()""";

	static final String CLAIM = """
			update idempotency_lease l set fence = nextval('idempotency_fence'),
				lease_until = clock_timestamp() + make_interval(secs => ?),
			""" + PostgresStatements.HISTORY.formatted("l.") + """

			where namespace = ? and id = ? and fence = ? and lease_until <= clock_timestamp()
			returning
			""" + COLUMNS;

	private PostgresUnfinishedStatements() {
	}

}
