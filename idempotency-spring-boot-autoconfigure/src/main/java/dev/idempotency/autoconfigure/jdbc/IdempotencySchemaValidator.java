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

import java.util.List;

import dev.idempotency.engine.operation.StartupCheck;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.jdbc.RecordTable;

/**
 * Stops the application if the tables are not as the library needs them. It checks them
 * when all singletons exist, so that they have been created.
 */
final class IdempotencySchemaValidator implements StartupCheck {

	private final BusinessDatabase database;

	private final LibrarySchema schema;

	IdempotencySchemaValidator(BusinessDatabase database, LibrarySchema schema) {
		this.database = database;
		this.schema = schema;
	}

	@Override
	public void check() {
		List<String> missing = RecordTable.findMissing(this.database.checkingConnections(), this.schema.names(),
				this.schema.parts());
		if (!missing.isEmpty()) {
			throw new InvalidIdempotentException(
					"The database of the idempotency records lacks: " + String.join(", ", missing) + ".",
					"Run the scripts that are in the library's jar under " + this.database.kind().migrations()
							+ ", in the order of their versions, with the tool that migrates the application, or "
							+ "include db/idempotency/liquibase/changelog.xml in its change log. Or let the library "
							+ "do it: idempotency.schema.management=flyway, with flyway-core and Flyway's module for "
							+ "the database on the class path, or idempotency.schema.management=liquibase, with "
							+ "liquibase-core.");
		}
	}

}
