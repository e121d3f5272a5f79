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

import java.sql.Connection;
import java.sql.SQLException;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.store.Identity;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * The row of a record as a lock, on InnoDB. A statement that finds it taken fails with
 * error 1205, which leaves the transaction as it was.
 * <p>
 * The insert locks no gap. In the transactions of the store itself nothing else does
 * either, because they are READ COMMITTED.
 */
final class MariaDbLocks implements RowLocks {

	private static final String INSERT = """
			insert into idempotency_record
				(id, account, operation, fingerprint, status, finished_at, expires_at)
			values (?, ?, '', '', 0, '1970-01-01', '1970-01-01')
			on duplicate key update id = id""";

	private static final int LOCK_WAIT_TIMEOUT = 1205;

	@Override
	public boolean lock(Connection connection, Identity identity, Patience patience) throws SQLException {
		try {
			insert(new Jdbc(connection), identity, patience);
			return true;
		}
		catch (SQLException ex) {
			if (isLocked(ex)) {
				return false;
			}
			throw ex;
		}
	}

	private void insert(Jdbc jdbc, Identity identity, Patience patience) throws SQLException {
		String wait = switch (patience) {
			case NONE -> "set statement innodb_lock_wait_timeout = 0 for ";
			case SECONDS -> "set statement innodb_lock_wait_timeout = 2 for ";
		};
		jdbc.update(wait + INSERT, identity.digest(), identity.account());
	}

	@Override
	public boolean isLocked(SQLException failure) {
		return failure.getErrorCode() == LOCK_WAIT_TIMEOUT;
	}

	@Override
	public void begin(Connection connection) throws SQLException {
		isolate(connection, Isolation.READ_COMMITTED);
	}

	/**
	 * Sets the isolation of the next transaction only, which the next statement begins.
	 */
	@Override
	public void isolate(Connection connection, Isolation isolation) throws SQLException {
		new Jdbc(connection).update("set transaction isolation level " + isolation.name().replace('_', ' '));
	}

}
