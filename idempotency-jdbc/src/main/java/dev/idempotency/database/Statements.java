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
package dev.idempotency.database;

/**
 * Statements on the library's tables. Each is written once, when its object is created,
 * with the schema of the tables.
 */
public abstract class Statements {

	private final TableNames names;

	/**
	 * Creates statements.
	 * @param names the names of the tables
	 */
	protected Statements(TableNames names) {
		this.names = names;
	}

	/**
	 * Adds the schema to the names in a statement.
	 * @param text the statement
	 * @return the statement to be sent
	 */
	protected final String sql(String text) {
		return this.names.in(text);
	}

}
