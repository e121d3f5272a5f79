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
package dev.idempotency.store.jdbc.sql;

import java.sql.ResultSet;
import java.sql.SQLException;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.Lease;

/**
 * Reads the state of a lease from two columns: expired, and stuck.
 */
public final class LeaseState {

	private LeaseState() {
	}

	public static Attempt read(ResultSet row, int column, byte[] fingerprint, Lease lease) throws SQLException {
		if (!row.getBoolean(column)) {
			return new Attempt.Held(fingerprint, lease);
		}
		return row.getBoolean(column + 1) ? new Attempt.Stuck(fingerprint, lease)
				: new Attempt.Abandoned(fingerprint, lease);
	}

}
