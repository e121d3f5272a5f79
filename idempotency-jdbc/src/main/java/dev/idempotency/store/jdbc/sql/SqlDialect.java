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

import java.util.function.BiFunction;

import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.connection.OwnTransactions;

/**
 * The record statements and locking strategy of one database.
 *
 * @param strategy the locking strategy, for the log
 * @param transactions the transactions on a separate connection
 * @param records the statements of the store
 * @param unfinished creates the store of the completer, of one namespace
 * @param operators creates the store of operators, of one namespace
 * @param catalog the statements that examine the tables
 */
public record SqlDialect(String strategy, OwnTransactions transactions, RecordStatements records,
		BiFunction<OwnConnection, String, UnfinishedStore> unfinished,
		BiFunction<OwnConnection, String, OperatorStore> operators, CatalogStatements catalog) {
}
