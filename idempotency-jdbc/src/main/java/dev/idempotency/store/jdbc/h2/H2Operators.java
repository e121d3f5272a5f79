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
package dev.idempotency.store.jdbc.h2;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

import dev.idempotency.store.Identity;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.SqlOperatorStore;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The view of operators by plain statements.
 */
final class H2Operators extends SqlOperatorStore {

	private static final String COUNTED = """
			select lease_until from idempotency_lease where namespace = ? and stuck_created_at %s limit %d""";

	private static final String OVERVIEW = """
			select (:records),
				(select count(*) from (:open) running where lease_until > :now)
					+ (select count(*) from (:stuck) resolving where lease_until > :now),
				(select count(*) from (:open) waiting where lease_until <= :now),
				(select count(*) from (:stuck) stuck where lease_until <= :now),
				timestampdiff(microsecond, (select created_at from idempotency_lease
					where namespace = ? order by created_at, id limit 1), :now),
				(select operation from idempotency_lease where namespace = ? order by created_at, id limit 1)
			""".replace(":open", COUNTED.formatted("is null", Overview.COUNTED))
		.replace(":stuck", COUNTED.formatted("is not null", Overview.COUNTED));

	private final String page = sql("select id, account from idempotency_record where id > ? order by id limit ?");

	private final String delete = sql("delete from idempotency_record where id = ?");

	H2Operators(OwnConnection own, String namespace, Syntax syntax) {
		super(own, namespace, syntax, OVERVIEW);
	}

	@Override
	protected Sweep deleteFinished(Jdbc jdbc, byte[] account, byte[] after, int limit) throws SQLException {
		List<Identity> page = jdbc.query(this.page, (row) -> new Identity(row.getBytes(1), row.getBytes(2)), after,
				limit);
		List<Identity> gone = page.stream().filter((identity) -> Arrays.equals(identity.account(), account)).toList();
		jdbc.updateEach(this.delete, gone, (identity) -> new Object[] { identity.digest() });
		return new Sweep(gone, (page.size() == limit) ? page.get(limit - 1).digest() : null);
	}

}
