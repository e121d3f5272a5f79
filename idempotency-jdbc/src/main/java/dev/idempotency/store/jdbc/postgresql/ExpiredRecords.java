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

import java.sql.SQLException;
import java.util.Collections;
import java.util.List;

import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * Deletes expired records by their physical position, which is the fastest way to find a
 * row again, and identifies it only within its partition. Partitions are visited in
 * random order, so that nodes that delete at the same time rarely meet.
 */
final class ExpiredRecords {

	private static final String PARTITIONS = """
			select coalesce(p.inhrelid, t.oid)::regclass::text
			from pg_class t left join pg_inherits p on p.inhparent = t.oid
			where t.oid = 'idempotency_record'::regclass""";

	private static final String DELETE_EXPIRED = """
			delete from %1$s where ctid = any(array(
				select ctid from %1$s where expires_at <= now()
				order by expires_at limit ? for update skip locked))
			and expires_at <= now()""";

	private ExpiredRecords() {
	}

	static int delete(Jdbc jdbc, int limit) throws SQLException {
		List<String> tables = jdbc.query(PARTITIONS, (row) -> row.getString(1));
		Collections.shuffle(tables);
		int deleted = 0;
		for (String table : tables) {
			deleted += jdbc.update(DELETE_EXPIRED.formatted(table), limit - deleted);
			if (deleted >= limit) {
				break;
			}
		}
		return deleted;
	}

}
