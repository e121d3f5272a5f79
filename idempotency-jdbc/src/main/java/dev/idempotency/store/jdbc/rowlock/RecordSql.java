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
package dev.idempotency.store.jdbc.rowlock;

import dev.idempotency.database.Statements;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The statements of the databases that claim by a placeholder, plain ones that all of
 * them understand. Besides the words of every {@link Syntax} they have
 * <ul>
 * <li>{@code :life}, which sets when a record was finished, which is now, and when it
 * expires, which is exactly as many microseconds later as its parameter says</li>
 * <li>{@code :epoch}, the start of 1970</li>
 * <li>{@code :share}, which reads under the lock that the transaction has</li>
 * <li>{@code :records}, an estimate of the number of records.</li>
 * </ul>
 * A statement that looks a row up and does not find it must not lock in a transaction of
 * the application: MariaDB would lock the gap until its end.
 */
final class RecordSql extends Statements {

	private static final String READ_LOCKED = """
			(select fingerprint, status, content, null, false, false,
				timestampdiff(microsecond, :now, expires_at), token
				from idempotency_record where id = ? and expires_at > :now :share)
			union all
			(select fingerprint, null, null, fence, lease_until <= :now,
				stuck_at is not null and not left_to_sender, null, null
				from idempotency_lease where id = ?)""";

	final String readLocked = sql(READ_LOCKED);

	final String read = sql(READ_LOCKED.replace(" :share", ""));

	static final String LEFTOVER = """
			exists (select 1 from idempotency_record r
				where r.id = idempotency_lease.id and r.expires_at > idempotency_lease.created_at)
			""";

	private static final String COUNT = """
			select count(*) from (select id from idempotency_lease
				where namespace = ? and account = ? and stuck_at is :state and fence > ? limit ?) counted""";

	final String finish = sql("""
			update idempotency_record set account = ?, operation = ?, fingerprint = ?, status = ?, content = ?,
				token = ?, :life
			where id = ? and expires_at <= :now""");

	final String removePlaceholder = sql("delete from idempotency_record where id = ? and expires_at <= :now");

	final String insertLease = sql("""
			insert into idempotency_lease
				(id, namespace, account, operation, fingerprint, command, fence, lease_until, created_at, node)
			values (?, ?, ?, ?, ?, ?, ?, :later, :now, ?)""");

	final String countOpen = sql(COUNT.replace(":state", "null"));

	final String countStuck = sql(COUNT.replace(":state", "not null"));

	final String lockAbandoned = sql("""
			select attempts, recovery_point, steps from idempotency_lease
			where id = ? and lease_until <= :now and not effects and (left_to_sender or (? and stuck_at is null))
				and attempts - uncounted < ? and fingerprint = ?
			for update nowait""");

	final String takeOver = sql("""
			update idempotency_lease set fence = ?, attempts = attempts + 1,
				lease_until = :later, node = ?, stuck_at = null, left_to_sender = false
			where id = ?""");

	final String isLeftover = sql("select 1 from idempotency_lease where id = ? and " + LEFTOVER);

	final String clearLeftover = sql("delete from idempotency_lease where id = ? and " + LEFTOVER);

	final String lockLease = sql("select 1 from idempotency_lease where id = ? and fence = ? for update");

	final String lockLeases = sql("select id, fence from idempotency_lease where id in (%s) for update skip locked");

	final String extend = sql("""
			update idempotency_lease set lease_until = :later
			where id = ? and fence = ?""");

	final String markEffects = sql("update idempotency_lease set effects = true where id = ? and fence = ?");

	final String lockSuperseded = sql("""
			select 1 from idempotency_lease
			where id = ? and fence = ? and lease_until <= :now and not effects
				and steps is null and stuck_at is null
			for update nowait""");

	final String findExpired = sql("""
			select id from idempotency_record where expires_at <= :now
			order by expires_at, id limit ? offset ?""");

	final String lockExpired = sql("""
			select id from idempotency_record where id in (%s) and expires_at <= :now
			for update skip locked""");

	final String deleteRecord = sql("delete from idempotency_record where id = ?");

	final String nextFence = sql("select :fence");

	RecordSql(Syntax syntax) {
		super(syntax::in);
	}

}
