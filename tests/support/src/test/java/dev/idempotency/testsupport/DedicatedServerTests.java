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

import java.sql.SQLException;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DedicatedServer}.
 */
class DedicatedServerTests {

	@Test
	void keepsDataAndAddressOverStopAndCrash() throws SQLException {
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of("max_connections", "20"))) {
			TestDatabase database = server.createDatabase();
			assertThat(TestDatabaseTests.query(database, "SHOW max_connections")).isEqualTo("20");
			assertThat(TestDatabaseTests.query(database, "SHOW fsync")).isEqualTo("on");
			database.execute("CREATE TABLE thing AS SELECT 1 AS id");
			server.stop();
			assertThatExceptionOfType(SQLException.class).isThrownBy(database::connect);
			server.start();
			database.execute("INSERT INTO thing VALUES (2)");
			server.crash();
			assertThatExceptionOfType(SQLException.class).isThrownBy(database::connect);
			server.start();
			assertThat(TestDatabaseTests.query(database, "SELECT count(*) FROM thing")).isEqualTo("2");
		}
	}

}
