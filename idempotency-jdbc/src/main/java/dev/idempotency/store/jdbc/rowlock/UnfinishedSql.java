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

/**
 * The statements of the completer, and of operators who look for unfinished requests.
 */
final class UnfinishedSql {

	private static final String UNFINISHED = """
			select id, account, fence, operation, fingerprint, timestampdiff(microsecond, :epoch, created_at),
				timestampdiff(microsecond, :epoch, lease_until), lease_until > :now, effects, attempts,
				recovery_point, :steps, :command, timestampdiff(microsecond, :epoch, retry_at),
				timestampdiff(microsecond, :epoch, stuck_at), last_error, history
			from idempotency_lease
			""";

	private static final String LIST = UNFINISHED.replace(":steps", "null").replace(":command", "null") + """
			where namespace = ? and :order >= timestampadd(microsecond, ?, :epoch)
				and (:order > timestampadd(microsecond, ?, :epoch) or id > ?)
			order by namespace, :order, id limit ?""";

	private static final String WITH_CONTENT = UNFINISHED.replace(":steps", "steps").replace(":command", "command");

	static final String LOCK_LEFTOVERS = """
			select id from idempotency_lease
			where namespace = ? and stuck_created_at is null and lease_until <= :now and
			""" + RecordSql.LEFTOVER + " for update skip locked";

	static final String DELETE_LEASE = "delete from idempotency_lease where id = ?";

	static final String FIND_DUE = """
			select id, fence, row_number() over (partition by account order by due_at, id) as turn
			from (select id, account, fence,
					coalesce(retry_at, timestampadd(microsecond, ?, lease_until)) as due_at
				from idempotency_lease
				where namespace = ? and lease_until <= :now and not effects and stuck_created_at is null
					and command is not null and attempts - uncounted < ?
					and not
			""" + RecordSql.LEFTOVER + """
				) waiting
			where due_at <= :now order by turn, rand()""";

	static final String LOCK_DUE = """
			select attempts - uncounted from idempotency_lease
			where id = ? and fence = ? and lease_until <= :now and not effects and stuck_at is null
			for update skip locked""";

	static final String CLAIM_DUE = """
			update idempotency_lease set fence = ?, attempts = attempts + 1,
				lease_until = timestampadd(microsecond, ?, :now), retry_at = timestampadd(microsecond, ?, :now),
				:history
			where id = ?""";

	static final String LOCK_STUCK = """
			select id, operation from idempotency_lease
			where namespace = ? and lease_until <= :now and stuck_created_at is null
				and (effects or attempts - uncounted >= ?
					or lease_until < timestampadd(microsecond, ?, :now))
				and not
			""" + RecordSql.LEFTOVER + """
			for update skip locked""";

	static final String MARK_STUCK = "update idempotency_lease set stuck_at = :now where id = ?";

	static final String FIND = WITH_CONTENT + "where namespace = ? and id = ?";

	static final String LIST_ALL = LIST.replace(":order", "created_at");

	static final String LIST_STUCK = LIST.replace(":order", "stuck_created_at");

	static final String RETRY = """
			update idempotency_lease set fence = ?, stuck_at = null, uncounted = attempts, retry_at = :now,
				lease_until = :now, effects = false, :history
			where namespace = ? and id = ? and fence = ? and effects = ? and lease_until <= :now""";

	static final String CLAIM = """
			update idempotency_lease set fence = ?, lease_until = timestampadd(microsecond, ?, :now), :history
			where namespace = ? and id = ? and fence = ? and lease_until <= :now""";

	private UnfinishedSql() {
	}

}
