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
package dev.idempotency.provider;

import java.time.Duration;

import dev.idempotency.testsupport.TestDatabase;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * Starts providers that stand alone.
 */
final class TestProvider {

	static final String API_KEY = "sk_test_4eC39";

	private TestProvider() {
	}

	static PaymentProviderServer start(TestDatabase database, Duration latency) {
		return PaymentProviderServer.start(new Details(database), new ProviderSettings(API_KEY, latency));
	}

	private record Details(TestDatabase database) implements JdbcConnectionDetails {

		@Override
		public String getJdbcUrl() {
			return this.database.jdbcUrl();
		}

		@Override
		public String getUsername() {
			return this.database.username();
		}

		@Override
		public String getPassword() {
			return this.database.password();
		}

	}

}
