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

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * The databases that hold the records.
 */
public enum SupportedDatabase {

	/**
	 * PostgreSQL, tested with 18.
	 */
	POSTGRESQL("PostgreSQL"),

	/**
	 * H2, for tests and development, in its regular mode and in its PostgreSQL mode.
	 */
	H2("H2");

	private final String product;

	SupportedDatabase(String product) {
		this.product = product;
	}

	/**
	 * Recognises a database by its metadata.
	 * @param metaData the metadata
	 * @return the database
	 * @throws SQLException if the metadata cannot be read
	 * @throws InvalidIdempotentException if it is none of these
	 */
	public static SupportedDatabase of(DatabaseMetaData metaData) throws SQLException {
		String name = metaData.getDatabaseProductName();
		for (SupportedDatabase database : values()) {
			if (database.product.equals(name)) {
				return database;
			}
		}
		throw unsupported(name);
	}

	/**
	 * Refuses a database.
	 * @param name the product name of the database
	 * @return the exception to throw
	 */
	public static InvalidIdempotentException unsupported(String name) {
		return new InvalidIdempotentException(
				"The idempotency records cannot be kept in " + name
						+ ": the supported databases are PostgreSQL, and H2 for tests and development.",
				"Set spring.datasource.url to one of these, or set idempotency.enabled=false.");
	}

	/**
	 * Returns the location of its migrations.
	 * @return a folder on the class path
	 */
	public String migrations() {
		return "db/idempotency/" + name().toLowerCase(Locale.ROOT);
	}

	/**
	 * The common name of the product.
	 * @return the name
	 */
	public String product() {
		return this.product;
	}

}
