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

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.idempotency.store.Identity;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Filter;
import dev.idempotency.store.UnfinishedStore.Position;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

/**
 * The statements behind {@link UnfinishedStore}, on a separate connection.
 */
public interface UnfinishedStatements {

	List<UnfinishedRecord> claimDue(Connection connection, String namespace, RecoveryRequest request)
			throws SQLException;

	List<String> markStuck(Connection connection, String namespace, int maxAttempts, Duration keep) throws SQLException;

	Optional<UnfinishedRecord> find(Connection connection, String namespace, Identity identity) throws SQLException;

	List<UnfinishedRecord> list(Connection connection, String namespace, Filter filter, Position after, int limit)
			throws SQLException;

	boolean retry(Connection connection, String namespace, Identity identity) throws SQLException;

	Optional<UnfinishedRecord> claim(Connection connection, String namespace, Identity identity, Duration lease)
			throws SQLException;

}
