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

import org.jspecify.annotations.Nullable;

/**
 * The statements that examine the tables.
 *
 * @param columns reads the columns of a table. Parameter: its name. Result: their names
 * @param unique whether a table has a unique index on exactly these columns that holds
 * for all of its rows. Parameters: the table's name, the columns in their order,
 * separated by a comma and a blank
 * @param sequence finds a sequence. Parameter: its name. Result: a row if it exists
 * @param clock finds the function that returns the time. Parameter: its name. Result: a
 * row if it exists. {@code null} if the database has a built-in one
 */
public record CatalogStatements(String columns, String unique, String sequence, @Nullable String clock) {
}
