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

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.idempotency.store.NodeName;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest.Backoff;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.sql.SqlUnfinishedStore;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * Unfinished requests, for the completer and operators: each method is one statement.
 */
final class PostgresUnfinished extends SqlUnfinishedStore {

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
	private final String claimDue = sql(DELETE_LEFTOVERS + """
			waiting as (
				select id, account, fence, coalesce(retry_at, lease_until + ? * interval '1 microsecond') as due_at
				from idempotency_lease l
				where namespace = ? and lease_until <= clock_timestamp() and not effects and stuck_at is null
					and command is not null and not left_to_sender and attempts - uncounted < ?
					and not
			""" + PostgresStatements.LEFTOVER + """
				),
			queue as materialized (
				select id, fence, row_number() over (partition by account order by due_at, id) as turn
				from waiting where due_at <= clock_timestamp()),
			due as (
				select l.id as due_id, l.attempts - l.uncounted as counted
				from idempotency_lease l join queue on l.id = queue.id and l.fence = queue.fence
				where l.namespace = ? and l.stuck_at is null and not l.effects and not l.left_to_sender
					and l.lease_until <= clock_timestamp()
				order by queue.turn, random() limit ? for no key update of l skip locked)
			update idempotency_lease l set
				fence = :fence, attempts = l.attempts + 1,
				lease_until = :later, retry_at = clock_timestamp() + interval '1 microsecond' * (0.8 + 0.2 * random()) *
					least(?::float8, ?::float8 * exp(least(due.counted * ln(?::float8), 100))),
				node = ?
			from due where l.id = due.due_id
			returning
			""" + COLUMNS);

	/**
	 * A locked row belongs to a live owner, whatever its lease says: it is examined again
	 * later.
	 */
	private final String markStuck = sql(DELETE_LEFTOVERS + """
			stuck as (
				select id from idempotency_lease l
				where namespace = ? and lease_until <= clock_timestamp() and stuck_at is null
					and (effects or attempts - uncounted >= ?
						or lease_until < clock_timestamp() - ? * interval '1 microsecond')
					and not
			""" + PostgresStatements.LEFTOVER + """
				for no key update skip locked)
			update idempotency_lease l set stuck_at = clock_timestamp(), left_to_sender = false
			from stuck where l.id = stuck.id
			returning l.operation""");

	private static final String LIST = "select " + LISTED + """
			from idempotency_lease
			where namespace || '' = ? and (created_at, id) > (timestamptz 'epoch' + ? * interval '1 microsecond', ?)%s
			order by created_at, id limit ?""";

	/**
	 * Lists in the order of an index, so that no more rows are read than are listed. A
	 * condition with a parameter would hide the partial one.
	 */
	private final String listOpen = sql(LIST.formatted(""));

	private final String listStuck = sql(LIST.formatted(" and stuck_at is not null"));

	private final String claimAndRead = sql(CLAIM + "returning " + COLUMNS);

	PostgresUnfinished(OwnConnection own, String namespace, Syntax syntax) {
		super(own, namespace, syntax);
	}

	@Override
	public List<Recovery> claimDue(RecoveryRequest request) {
		Backoff backoff = request.backoff();
		return query(this.claimDue, namespace(), Syntax.micros(request.after()), namespace(), request.maxAttempts(),
				namespace(), request.limit(), Syntax.micros(request.lease()), Syntax.micros(backoff.max()),
				Syntax.micros(backoff.initial()), backoff.multiplier(), NodeName.CURRENT)
			.stream()
			.map(UnfinishedRecord::toRecovery)
			.toList();
	}

	@Override
	public List<String> markStuck(int maxAttempts, Duration keep) {
		return run((jdbc) -> jdbc.query(this.markStuck, (row) -> row.getString(1), namespace(), namespace(),
				maxAttempts, Syntax.micros(keep)));
	}

	@Override
	public List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		String list = switch (filter) {
			case OPEN -> this.listOpen;
			case STUCK -> this.listStuck;
		};
		return query(list, namespace(), Syntax.micros(after.createdAt()), after.identity().digest(), limit);
	}

	@Override
	public Optional<UnfinishedRecord> claim(UnfinishedRecord seen, Duration lease) {
		return query(this.claimAndRead, Syntax.micros(lease), NodeName.CURRENT, namespace(),
				seen.lease().identity().digest(), seen.lease().fence(), seen.effects())
			.stream()
			.findFirst();
	}

}
