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

import dev.idempotency.store.Identity;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * MySQL has no time to wait for one statement alone, and waits for a second at least.
 */
final class MySqlLocks extends MariaDbLocks {

	private static final String LIMIT = """
			set @idempotency_lock_wait = @@session.innodb_lock_wait_timeout, session innodb_lock_wait_timeout = 1""";

	private static final String AS_BEFORE = "set session innodb_lock_wait_timeout = @idempotency_lock_wait";

	@Override
	void insert(Jdbc jdbc, Identity identity, Patience patience) throws SQLException {
		jdbc.update(LIMIT);
		try {
			jdbc.update(INSERT, identity.digest(), identity.account());
		}
		finally {
			jdbc.update(AS_BEFORE);
		}
	}

}
