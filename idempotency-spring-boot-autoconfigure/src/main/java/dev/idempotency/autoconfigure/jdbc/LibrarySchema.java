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

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import dev.idempotency.database.SchemaPart;
import dev.idempotency.database.TableNames;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * The library's part of the database, according to the application's configuration.
 *
 * @param names the names of the tables
 * @param parts the parts that the features in use need
 */
record LibrarySchema(TableNames names, Set<SchemaPart> parts) {

	private static final String NAME = "idempotency.schema.name";

	/**
	 * The module of staged jobs is on the class path.
	 */
	private static final boolean JOBS = ClassUtils.isPresent("dev.idempotency.job.dbscheduler.JobScheduler",
			LibrarySchema.class.getClassLoader());

	/**
	 * Properties of other tools that name the schema of the application's tables, the
	 * most specific first. Flyway's second property is a list, of which the first element
	 * counts.
	 */
	private static final String[] OTHERS = { "spring.jpa.properties.hibernate.default_schema",
			"spring.flyway.default-schema", "spring.flyway.schemas", "spring.flyway.schemas[0]",
			"spring.liquibase.default-schema" };

	static LibrarySchema of(SchemaProperties properties, Environment environment) {
		Set<SchemaPart> parts = EnumSet.of(SchemaPart.RECORD);
		if (JOBS && environment.getProperty("idempotency.job.enabled", Boolean.class, true)) {
			parts.add(SchemaPart.JOB);
		}
		if (environment.getProperty("idempotency.outbox.enabled", Boolean.class, false)) {
			parts.add(SchemaPart.OUTBOX);
		}
		return new LibrarySchema(names(properties, environment), parts);
	}

	static TableNames names(SchemaProperties properties, Environment environment) {
		String schema = (properties.name() != null) ? properties.name() : findOther(environment);
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
					"Set " + NAME + " to the name of a schema that needs no quotes.");
		}
		return schema;
	}

}
