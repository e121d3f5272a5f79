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
package dev.idempotency.sample.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * A PostgreSQL for this application, from binaries on the class path. Its data are in a
 * temporary directory that is deleted when the application stops.
 */
final class EmbeddedDatabase implements JdbcConnectionDetails, AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

	private final EmbeddedPostgres server;

	EmbeddedDatabase() {
		try {
			this.server = EmbeddedPostgres.builder()
				// PostgreSQL's defaults, which the embedded server lowers: without them a
				// commit is not durable when it returns, and no answer would be true.
				.setServerConfig("fsync", "on")
				.setServerConfig("synchronous_commit", "on")
				.setLocaleConfig("locale", "C")
				.setPGStartupWait(START_TIMEOUT)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Could not start the embedded PostgreSQL. "
					+ "To use another one, set SPRING_DATASOURCE_URL, _USERNAME and _PASSWORD.", ex);
		}
	}

	@Override
	public String getJdbcUrl() {
		return this.server.getJdbcUrl("postgres", "postgres");
	}

	@Override
	public String getUsername() {
		return "postgres";
	}

	@Override
	public String getPassword() {
		return "postgres";
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
