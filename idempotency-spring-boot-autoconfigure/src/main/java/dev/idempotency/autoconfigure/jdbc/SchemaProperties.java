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
package dev.idempotency.autoconfigure.jdbc;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.database.TableNames;

import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of the library's tables.
 *
 * @param management Tool that creates the tables, or checks that they exist.
 * @param name Name of the schema that holds the tables. Defaults to the default schema of
 * Hibernate, Flyway or Liquibase where one is configured, and to that of the connection.
 */
@ConfigurationProperties("idempotency.schema")
record SchemaProperties(@DefaultValue("flyway") Management management, @Nullable String name) {

	SchemaProperties {
		require(name == null || TableNames.isIdentifier(name), "schema.name", name,
				"Write the name of a schema that needs no quotes: letters, digits and underscores, such as app.");
	}

	/**
	 * Ways of creating the tables.
	 */
	enum Management {

		/**
		 * The library's own migrations run after the application's, by Flyway.
		 */
		FLYWAY,

		/**
		 * The library's own change sets run after the application's, by Liquibase.
		 */
		LIQUIBASE,

		/**
		 * The application creates them; start-up fails if they do not exist.
		 */
		VALIDATE,

		/**
		 * No creation and no check.
		 */
		NONE

	}

}
