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

import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

import dev.idempotency.database.TableNames;
import dev.idempotency.exception.InvalidIdempotentException;

import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of the library's tables.
 *
 * @param management Tool that creates the tables, or checks that they exist.
 * @param name Name of the schema that holds the tables. Defaults to the default schema of
 * Hibernate, Flyway or Liquibase where one is configured, otherwise to the schema of the
 * connection.
 */
@ConfigurationProperties("idempotency.schema")
record SchemaProperties(@DefaultValue("flyway") Management management, @Nullable String name) {

	/**
	 * Properties of other tools that name the schema of the application's tables, the
	 * most specific first. Flyway's second property is a list, of which the first element
	 * counts.
	 */
	private static final String[] OTHERS = { "spring.jpa.properties.hibernate.default_schema",
			"spring.flyway.default-schema", "spring.flyway.schemas", "spring.flyway.schemas[0]",
			"spring.liquibase.default-schema" };

	SchemaProperties {
		require(name == null || TableNames.isIdentifier(name), "schema.name", name,
				"Write the name of a schema that needs no quotes: letters, digits and underscores, such as app.");
	}

	/**
	 * Returns the names of the tables in the configured schema.
	 */
	TableNames names(Environment environment) {
		String schema = (this.name != null) ? this.name : findOther(environment);
		return (schema != null) ? new TableNames(schema) : TableNames.DEFAULT;
	}

	private static @Nullable String findOther(Environment environment) {
		return Stream.of(OTHERS)
			.filter((property) -> StringUtils.hasText(environment.getProperty(property)))
			.findFirst()
			.map((property) -> read(property, environment))
			.orElse(null);
	}

	private static String read(String property, Environment environment) {
		String schema = StringUtils.commaDelimitedListToStringArray(environment.getRequiredProperty(property))[0]
			.trim();
		if (!TableNames.isIdentifier(schema)) {
			throw new InvalidIdempotentException(
					"The tables of the idempotency records would be in the schema '" + schema + "', which " + property
							+ " names, and which needs quotes in SQL.",
					"Set idempotency.schema.name to the name of a schema that needs no quotes.");
		}
		return schema;
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
