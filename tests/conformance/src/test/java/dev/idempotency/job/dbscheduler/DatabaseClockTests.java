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
package dev.idempotency.job.dbscheduler;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

class DatabaseClockTests {

	private static final JobDialect POSTGRES = JobDialect.of(SupportedDatabase.POSTGRESQL, TableNames.DEFAULT);

	private static final Duration TOLERANCE = Duration.ofMinutes(10);

	/**
	 * A server whose clock is an hour ahead, as seen by the library's statements.
	 */
	private static JdbcClient hourAhead() {
		TestDatabase database = TestDatabase.create();
		database.execute("""
				create function public.clock_timestamp() returns timestamptz language sql as
				$$ select pg_catalog.clock_timestamp() + interval '1 hour' $$""");
		String url = database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?")
				+ "options=-c%20search_path=public,pg_catalog";
		return JdbcClient.create(new DriverManagerDataSource(url, database.username(), database.password()));
	}

	@Test
	void goesByTheDatabaseOnceItHasAsked() {
		DatabaseClock clock = new DatabaseClock(hourAhead(), POSTGRES);
		assertThat(Duration.between(Instant.now(), clock.now())).isLessThan(TOLERANCE);
		clock.synchronize();
		assertThat(Duration.between(Instant.now(), clock.now())).isBetween(Duration.ofHours(1).minus(TOLERANCE),
				Duration.ofHours(1).plus(TOLERANCE));
	}

	@Test
	void goesOnWhenTheDatabaseDoesNotAnswer() {
		DatabaseClock clock = new DatabaseClock(
				JdbcClient.create(new DriverManagerDataSource("jdbc:postgresql://127.0.0.1:1/none")), POSTGRES);
		Instant before = clock.now();
		clock.synchronize();
		assertThat(clock.now()).isAfterOrEqualTo(before);
	}

}
