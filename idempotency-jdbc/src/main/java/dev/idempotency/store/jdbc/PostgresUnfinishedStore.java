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

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.Identity;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Backoff;

/**
 * The unfinished requests of one application on PostgreSQL, each method on a separate
 * connection.
 */
final class PostgresUnfinishedStore extends Statements implements UnfinishedStore {

	private static final String COLUMNS = """
			id, account, fence, operation, fingerprint, created_at, lease_until, lease_until > clock_timestamp(),
				effects, attempts, recovery_point, steps, command, retry_at, stuck_at, last_error, node
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
			""" + PostgresStore.LEFTOVER + """
					for update skip locked)),
			""";

	private final Jdbc jdbc;

	private final String namespace;

	PostgresUnfinishedStore(Jdbc jdbc, TableNames names, String namespace) {
		super(names);
		this.jdbc = jdbc;
		this.namespace = namespace;
	}

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
			""" + PostgresStore.LEFTOVER + """
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
				fence = %s, attempts = l.attempts + 1,
				lease_until = clock_timestamp() + ? * interval '1 microsecond',
				retry_at = clock_timestamp() + interval '1 microsecond' * (0.8 + 0.2 * random()) *
					least(?::float8, ?::float8 * 2 ^ least(due.counted, 100)),
				node = ?
			from due where l.id = due.due_id
			returning
			""".formatted(PostgresStore.NEW_FENCE) + COLUMNS);

	@Override
	public List<Recovery> claimDue(RecoveryRequest request) {
		Backoff backoff = request.backoff();
		return query(this.claimDue, this.namespace, Rows.micros(request.after()), this.namespace, request.maxAttempts(),
				this.namespace, request.limit(), Rows.micros(request.lease()), Rows.micros(backoff.max()),
				Rows.micros(backoff.initial()), NodeName.CURRENT)
			.stream()
			.map(UnfinishedRecord::toRecovery)
			.toList();
	}

	private List<UnfinishedRecord> query(String sql, Object... parameters) {
		return this.jdbc.separately((session) -> session.query(sql, Rows::unfinished, parameters));
	}

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
			""" + PostgresStore.LEFTOVER + """
				for no key update skip locked)
			update idempotency_lease l set stuck_at = clock_timestamp(), left_to_sender = false
			from stuck where l.id = stuck.id
			returning l.operation""");

	@Override
	public List<String> markStuck(int maxAttempts, Duration keep) {
		return this.jdbc.separately((session) -> session.query(this.markStuck, (row) -> row.getString(1),
				this.namespace, this.namespace, maxAttempts, Rows.micros(keep)));
	}

	private final String endResumption = sql("""
			update idempotency_lease set left_to_sender = false
			where namespace = ? and left_to_sender
				and stuck_at < clock_timestamp() - ? * interval '1 microsecond'""");

	private final String eraseCommand = sql("""
			update idempotency_lease set command = null
			where namespace = ? and command is not null
				and stuck_at < clock_timestamp() - ? * interval '1 microsecond'""");

	/**
	 * Two messages. Each is a change that may happen without the other.
	 */
	@Override
	public void retireStuck(Duration keep, Duration keepCommand) {
		this.jdbc.separately((session) -> session.update(this.endResumption, this.namespace, Rows.micros(keep))
				+ session.update(this.eraseCommand, this.namespace, Rows.micros(keepCommand)));
	}

	private final String find = sql("select " + COLUMNS + "from idempotency_lease where namespace = ? and id = ?");

	@Override
	public Optional<UnfinishedRecord> find(Identity identity) {
		return this.jdbc
			.separately((session) -> session.first(this.find, Rows::unfinished, this.namespace, identity.digest()));
	}

	/**
	 * Without the content of requests, which may have a megabyte.
	 */
	private static final String LIST = "select " + COLUMNS.replace("steps, command", "null, null") + """
			from idempotency_lease
			where namespace || '' = ? and (created_at, id) > (?, ?)%s
			order by created_at, id limit ?""";

	/**
	 * Lists in the order of an index, so that no more rows are read than are listed. A
	 * condition with a parameter would hide the partial one.
	 */
	private final String listOpen = sql(LIST.formatted(""));

	private final String listStuck = sql(LIST.formatted(" and stuck_at is not null"));

	@Override
	public List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		String list = switch (filter) {
			case OPEN -> this.listOpen;
			case STUCK -> this.listStuck;
		};
		return query(list, this.namespace, Rows.time(after.createdAt()), after.identity().digest(), limit);
	}

	private static final String UNCHANGED = """
			where namespace = ? and id = ? and fence = ? and effects = ? and lease_until <= clock_timestamp()
			""";

	/**
	 * The lease ends now, not when it did: its sender has the full time again before the
	 * request is marked as stuck. It is one of the open requests again, and counted as
	 * the latest.
	 */
	private final String retry = sql("update idempotency_lease set fence = " + PostgresStore.NEW_FENCE + """
			, claim_number = nextval('idempotency_claim_number'), stuck_at = null, left_to_sender = false,
				uncounted = attempts, retry_at = clock_timestamp(), lease_until = clock_timestamp(), effects = false
			""" + UNCHANGED);

	@Override
	public boolean retry(UnfinishedRecord seen) {
		return this.jdbc.separately((session) -> session.update(this.retry, this.namespace,
				seen.lease().identity().digest(), seen.lease().fence(), seen.effects())) == 1;
	}

	/**
	 * An owner that was slower than its lease may commit effects that the operator has
	 * not seen.
	 */
	private final String claim = sql("update idempotency_lease set fence = " + PostgresStore.NEW_FENCE + """
			, lease_until = clock_timestamp() + ? * interval '1 microsecond', node = ?
			""" + UNCHANGED + "returning " + COLUMNS);

	@Override
	public Optional<UnfinishedRecord> claim(UnfinishedRecord seen, Duration lease) {
		return this.jdbc
			.separately((session) -> session.first(this.claim, Rows::unfinished, Rows.micros(lease), NodeName.CURRENT,
					this.namespace, seen.lease().identity().digest(), seen.lease().fence(), seen.effects()));
	}

}
