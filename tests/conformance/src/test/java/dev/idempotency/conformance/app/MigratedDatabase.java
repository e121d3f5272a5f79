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

package dev.idempotency.conformance.app;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.outbox.EventSender;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Databases that have the tables already, as they are for every start of an application
 * but the first. To make them anew would be a good part of the time of a start.
 */
public final class MigratedDatabase {

	private MigratedDatabase() {
	}

	/**
	 * Creates a database. It is a copy of one that an application has migrated; where a
	 * database cannot be copied it is empty, and the application that is started on it
	 * makes the tables.
	 * @return the new database
	 */
	public static TestDatabase create() {
		TestDatabase migrated = Migrated.DATABASE;
		return (migrated != null) ? migrated.copy() : TestDatabase.create();
	}

	/**
	 * Made when it is first touched.
	 */
	private static final class Migrated {

		static final @Nullable TestDatabase DATABASE = migrate();

		private static @Nullable TestDatabase migrate() {
			TestDatabase database = TestDatabase.create();
			if (database.kind() != DatabaseKind.POSTGRESQL || database.jdbcUrl().contains("?")) {
				return null;
			}
			RunningApplication
				.startWithoutServer(database, List.of(AnnotatedService.class, Outbox.class),
						"idempotency.outbox.enabled=true")
				.close();
			database.execute("delete from idempotency_namespace");
			return database;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Outbox {

		@Bean
		EventSender eventSender() {
			return (event) -> CompletableFuture.completedFuture(event);
		}

	}

}
