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

package dev.idempotency.testsupport;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TestDatabase}.
 */
class TestDatabaseTests {

	@Test
	void answersQueries() throws SQLException {
		assertThat(query(TestDatabase.create(), "SELECT 1")).isEqualTo("1");
	}

	@Test
	void databasesAreSeparateOnOneServer() throws SQLException {
		TestDatabase one = TestDatabase.create();
		TestDatabase other = TestDatabase.create();
		one.execute("CREATE TABLE thing (id int)");
		String tables = "SELECT count(*) FROM pg_tables WHERE tablename = 'thing'";
		assertThat(query(one, tables)).isEqualTo("1");
		assertThat(query(other, tables)).isEqualTo("0");
		String started = "SELECT pg_postmaster_start_time()";
		assertThat(query(one, started)).isEqualTo(query(other, started));
	}

	@Test
	void aCopyHasTheContentOfItsOriginalAndIsSeparate() throws SQLException {
		TestDatabase original = TestDatabase.create();
		original.execute("CREATE TABLE thing AS SELECT 1 AS id");
		TestDatabase copy = original.copy();
		copy.execute("INSERT INTO thing VALUES (2)");
		assertThat(query(copy, "SELECT count(*) FROM thing")).isEqualTo("2");
		assertThat(query(original, "SELECT count(*) FROM thing")).isEqualTo("1");
	}

	@Test
	void serverIsAsDurableAsPostgresByDefault() throws SQLException {
		TestDatabase database = TestDatabase.create();
		assertThat(query(database, "SHOW fsync")).isEqualTo("on");
		assertThat(query(database, "SHOW synchronous_commit")).isEqualTo("on");
		assertThat(query(database, "SHOW full_page_writes")).isEqualTo("on");
	}

	@Test
	void serverCountsStatements() throws SQLException {
		TestDatabase database = TestDatabase.create();
		database.execute("CREATE EXTENSION pg_stat_statements");
		assertThat(Integer.parseInt(query(database, "SELECT count(*) FROM pg_stat_statements"))).isNotNegative();
	}

	static String query(TestDatabase database, String sql) throws SQLException {
		try (Connection connection = database.connect();
				Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery(sql)) {
			assertThat(result.next()).isTrue();
			return result.getString(1);
		}
	}

}
