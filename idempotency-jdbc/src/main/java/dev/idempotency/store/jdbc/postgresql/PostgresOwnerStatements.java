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

import java.util.Locale;

import org.springframework.transaction.annotation.Isolation;

/**
 * The statements of the owner of a lease, which is identified by its fence: they change
 * nothing once the lease has another one.
 */
final class PostgresOwnerStatements {

	static final String EXTEND = """
			update idempotency_lease set lease_until = clock_timestamp() + make_interval(secs => ?)
			where (id, fence) in (
				select l.id, l.fence from idempotency_lease l
				join unnest(?::bytea[], ?::bigint[]) as mine(id, fence) on l.id = mine.id and l.fence = mine.fence
				for no key update of l skip locked)""";

	static final String CONFIRM = """
			update idempotency_lease set effects = effects or ? where id = ? and fence = ?""";

	/**
	 * A text that a server cannot take for a number, quoted in the message of its error.
	 */
	static final String LOST = "lease lost, rows: ";

	/**
	 * A lease that is lost cannot be a count here, which the COMMIT would not wait for:
	 * it makes the statement fail, and with it the message.
	 */
	static final String CONFIRM_AND_COMMIT = "with held as (" + CONFIRM + """
			 returning fence)
			select case when count(*) = 1 then 1 else cast('%s' || count(*) as integer) end from held;
			commit""".formatted(LOST);

	static final String IS_HELD = """
			select from idempotency_lease where id = ? and fence = ?""";

	/**
	 * The advisory lock is the one that a claim tries: a duplicate of a phase that takes
	 * longer than its lease fails immediately, instead of waiting for the row.
	 */
	private static final String HOLD = """
			select pg_advisory_xact_lock(?);
			select from idempotency_lease where id = ? and fence = ? for no key update""";

	static final String ADVANCE = """
			update idempotency_lease set recovery_point = ?, steps = ?,
				lease_until = clock_timestamp() + make_interval(secs => ?),
			""" + PostgresStatements.HISTORY.formatted("") + """

			where id = ? and fence = ? and recovery_point is not distinct from ?""";

	/**
	 * The lock of the row is the one that a phase has from begin to end.
	 */
	static final String PROGRESS = """
			select attempts, recovery_point, steps from idempotency_lease
			where id = ? and fence = ? for no key update""";

	/**
	 * A sender who is there gets the time again that the completer leaves to senders: a
	 * time of the completer that has come is forgotten. One that is still to come stays,
	 * so that a sender does not shorten the completer's pauses.
	 */
	static final String INTERRUPT = """
			update idempotency_lease set fence = nextval('idempotency_fence'), lease_until = clock_timestamp(),
				last_error = ?, uncounted = uncounted + ?,
				retry_at = case when ? or retry_at > clock_timestamp() then retry_at end,
			""" + PostgresStatements.HISTORY.formatted("") + """

			where id = ? and fence = ?""";

	static final String RELEASE = """
			delete from idempotency_lease where id = ? and fence = ?""";

	static final String ABANDON = """
			update idempotency_lease l set lease_until = clock_timestamp()
			from unnest(?::bytea[], ?::bigint[]) as mine(id, fence)
			where l.id = mine.id and l.fence = mine.fence""";

	/**
	 * Not in the words of an index's predicate: only the primary key is to be a way.
	 */
	static final String SUPERSEDE = """
			delete from idempotency_lease
			where id = ? and fence = ? and lease_until <= clock_timestamp() and not effects
				and recovery_point is null and coalesce(stuck_at) is null""";

	private PostgresOwnerStatements() {
	}

	/**
	 * The statement that holds a claim, after the one that sets the isolation of its
	 * transaction, which has to be the first.
	 * @param isolation the isolation
	 * @return the statements; the results are one more unless the isolation is the
	 * database's own
	 */
	static String hold(Isolation isolation) {
		return switch (isolation) {
			case DEFAULT -> HOLD;
			case READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE -> "set transaction isolation level "
					+ isolation.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ";\n" + HOLD;
		};
	}

}
