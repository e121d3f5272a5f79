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
package dev.idempotency.conformance.shard;

import java.util.List;
import java.util.Map;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

/**
 * Two servers with a database each, which know nothing of each other.
 */
final class TwoServers implements AutoCloseable {

	private final DedicatedServer northServer = TestDatabase.startDedicatedServer(Map.of());

	private final DedicatedServer southServer = TestDatabase.startDedicatedServer(Map.of());

	private final TestDatabase north = createDatabase(this.northServer);

	private final TestDatabase south = createDatabase(this.southServer);

	private static TestDatabase createDatabase(DedicatedServer server) {
		TestDatabase database = server.createDatabase();
		database.execute("create table payment (id uuid primary key, label varchar(255))");
		return database;
	}

	TestDatabase north() {
		return this.north;
	}

	TestDatabase south() {
		return this.south;
	}

	DedicatedServer southServer() {
		return this.southServer;
	}

	/**
	 * Returns statements on the shard of a caller, past the application.
	 */
	JdbcTemplate of(String caller) {
		TestDatabase database = AccountShards.home(caller).equals(AccountShards.NORTH) ? this.north : this.south;
		return new JdbcTemplate(
				new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
	}

	/**
	 * Counts the payments with a label on the shard of a caller.
	 */
	long payments(String caller, String label) {
		return count(caller, "payment where label = '" + label + "'");
	}

	/**
	 * Counts rows on the shard of a caller.
	 */
	long count(String caller, String from) {
		List<Long> counts = of(caller).queryForList("select count(*) from " + from, Long.class);
		return counts.get(0);
	}

	@Override
	public void close() {
		this.northServer.close();
		this.southServer.close();
	}

}
