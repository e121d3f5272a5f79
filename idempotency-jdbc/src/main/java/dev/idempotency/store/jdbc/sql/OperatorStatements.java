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
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.OperatorStore.Overview;
import dev.idempotency.store.OperatorStore.Sweep;

/**
 * The statements behind {@link OperatorStore}, on a separate connection.
 */
public interface OperatorStatements {

	Overview overview(Connection connection, String namespace) throws SQLException;

	Optional<KeptRecord> find(Connection connection, Identity identity) throws SQLException;

	List<Identity> between(Connection connection, String namespace, byte[] first, byte[] last, int limit)
			throws SQLException;

	int countUnfinished(Connection connection, String namespace, byte[] account) throws SQLException;

	int deleteUnfinished(Connection connection, String namespace, byte[] account) throws SQLException;

	Sweep deleteFinished(Connection connection, byte[] account, byte @Nullable [] after, int limit) throws SQLException;

}
