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

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * Deletes expired records. Rows are locked by their key: on the way over the index of
 * their times a node would lock entries of rows that another one deletes, and each would
 * wait for the other.
 *
 * @param jdbc the statements on the connection of a batch
 */
record RowLockReaper(Jdbc jdbc) {

	private static final int BATCH = 500;

	int delete(int limit) throws SQLException {
		List<byte[]> free = new ArrayList<>();
		int offset = 0;
		while (free.size() < limit) {
			int wanted = Math.min(BATCH, limit - free.size());
			List<byte[]> seen = this.jdbc.query(RecordSql.FIND_EXPIRED, (row) -> row.getBytes(1), wanted, offset);
			free.addAll(lock(seen));
			offset += wanted;
			if (seen.size() < wanted) {
				break;
			}
		}
		return this.jdbc.updateEach(RecordSql.DELETE_RECORD, free.stream().map((id) -> new Object[] { id }).toList());
	}

	private List<byte[]> lock(List<byte[]> ids) throws SQLException {
		return ids.isEmpty() ? ids
				: this.jdbc.query(Jdbc.in(RecordSql.LOCK_EXPIRED, ids.size()), (row) -> row.getBytes(1), ids.toArray());
	}

}
