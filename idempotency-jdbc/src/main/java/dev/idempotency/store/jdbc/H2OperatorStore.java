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

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.database.TableNames;
import dev.idempotency.store.Identity;

/**
 * The operators' view of the tables on H2, each method on a separate connection.
 */
final class H2OperatorStore extends JdbcOperatorStore {

	private final @Nullable String schema;

	H2OperatorStore(Jdbc jdbc, TableNames names, String namespace) {
		super(jdbc, names, namespace, "idempotency_now()");
		this.schema = names.schema();
	}

	private static final String COUNTED = """
			select lease_until from idempotency_lease where namespace = ? and stuck_created_at %s limit %d""";

	/**
	 * The number of records is the planner's estimate.
	 */
	private final String overview = sql("""
			select
				(select coalesce(max(row_count_estimate), 0) from information_schema.tables
					where lower(table_schema) = lower(coalesce(?, current_schema))
						and upper(table_name) = 'IDEMPOTENCY_RECORD'),
				(select count(*) from (%1$s) running where lease_until > idempotency_now())
					+ (select count(*) from (%2$s) resolving where lease_until > idempotency_now()),
				(select count(*) from (%1$s) waiting where lease_until <= idempotency_now()),
				(select count(*) from (%2$s) stuck where lease_until <= idempotency_now()),
				timestampdiff(microsecond, (select created_at from idempotency_lease
					where namespace = ? order by created_at, id limit 1), idempotency_now()),
				(select operation from idempotency_lease where namespace = ? order by created_at, id limit 1)"""
		.formatted(COUNTED.formatted("is null", Overview.COUNTED), COUNTED.formatted("is not null", Overview.COUNTED)));

	@Override
	public Overview overview() {
		String own = this.namespace;
		return this.jdbc.separately((session) -> session.queryOne(this.overview, Rows::overview, this.schema, own, own,
				own, own, own, own));
	}

	private final String page = sql("select id, account from idempotency_record where id > ? order by id limit ?");

	private final String delete = sql("delete from idempotency_record where id = any (?)");

	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return this.jdbc.separately((session) -> {
			List<Identity> page = session.query(this.page, Rows::identity, (after != null) ? after : START, limit);
			List<Identity> gone = page.stream()
				.filter((identity) -> Arrays.equals(identity.account(), account))
				.toList();
			session.update(this.delete, (Object) gone.stream().map(Identity::digest).toArray());
			return new Sweep(gone, (page.size() == limit) ? page.get(limit - 1).digest() : null);
		});
	}

}
