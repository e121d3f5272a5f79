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
 * @param sql the statements
 */
record RowLockReaper(RowLockStatements sql) {

	private static final int BATCH = 500;

	int delete(Jdbc jdbc, int limit) throws SQLException {
		List<byte[]> free = new ArrayList<>();
		int offset = 0;
		while (free.size() < limit) {
			int wanted = Math.min(BATCH, limit - free.size());
			List<byte[]> seen = jdbc.query(this.sql.findExpired, (row) -> row.getBytes(1), wanted, offset);
			free.addAll(lock(jdbc, seen));
			offset += wanted;
			if (seen.size() < wanted) {
				break;
			}
		}
		return jdbc.updateEach(this.sql.deleteRecord, free.stream().map((id) -> new Object[] { id }).toList());
	}

	private List<byte[]> lock(Jdbc jdbc, List<byte[]> ids) throws SQLException {
		return ids.isEmpty() ? ids
				: jdbc.query(Jdbc.in(this.sql.lockExpired, ids.size()), (row) -> row.getBytes(1), ids.toArray());
	}

}
