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
package dev.idempotency.store.jpa;

import dev.idempotency.InvalidIdempotentException;

/**
 * Says which databases hold the records.
 */
public final class UnsupportedDatabase {

	private UnsupportedDatabase() {
	}

	/**
	 * Refuse a database.
	 * @param name what the database calls itself
	 * @return the exception to throw
	 */
	public static InvalidIdempotentException named(String name) {
		return new InvalidIdempotentException(
				"The idempotency records cannot be kept in this database: it is " + name
						+ ", and PostgreSQL is supported.",
				"Point spring.datasource.url at PostgreSQL, in tests as well (Testcontainers, or an embedded one), or "
						+ "set idempotency.enabled=false.");
	}

}
