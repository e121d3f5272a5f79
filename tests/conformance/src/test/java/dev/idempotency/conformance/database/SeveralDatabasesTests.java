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
package dev.idempotency.conformance.database;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.idempotency.conformance.app.AnnotatedService;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A data source that routes to two databases of one kind.
 */
@Tag("X29")
class SeveralDatabasesTests {

	@ParameterizedTest
	@EnumSource
	void twoDatabasesThatCanBeWrittenToAreRefused(DatabaseKind kind) {
		assertThatThrownBy(() -> start(TestDatabase.create(kind), TestDatabase.create(kind)).close()).rootCause()
			.isInstanceOf(InvalidIdempotentException.class)
			.hasMessageContainingAll("writer", "reader", "docs/operations/scaling.md");
	}

	@ParameterizedTest
	@EnumSource
	void twoDataSourcesOfOneDatabaseAreOneDatabase(DatabaseKind kind) {
		TestDatabase database = TestDatabase.create(kind);
		try (RunningApplication application = start(database, database)) {
			assertThat(application.records()).isZero();
		}
	}

	private static RunningApplication start(TestDatabase writer, TestDatabase reader) {
		return RunningApplication.startWithoutServer(writer, List.of(AnnotatedService.class, RoutedDatabases.class),
				RoutedDatabases.reader(reader));
	}

}
