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

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.idempotency.testsupport.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The provider alone, from its start to its end.
 */
class PaymentProviderServerTests {

	@Test
	void theDatabaseOutlivesTheProvider() {
		ClosableDatabase database = new ClosableDatabase(TestDatabase.create());
		PaymentProviderServer.start(database, new ProviderSettings(TestProvider.API_KEY, Duration.ZERO)).close();
		assertThat(database.closed).isFalse();
	}

	@Test
	void aRequestThatWaitsIsAnsweredWhenTheProviderStops() throws Exception {
		PaymentProviderServer provider = TestProvider.start(TestDatabase.create(), Duration.ofMinutes(10));
		URI charges = provider.address().resolve("/v1/charges");
		CompletableFuture<HttpResponse<String>> answer = HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(charges)
				.header("Authorization", "Bearer " + TestProvider.API_KEY)
				.header("Content-Type", "application/x-www-form-urlencoded")
				.POST(HttpRequest.BodyPublishers.ofString("amount=100&currency=usd&source=tok_visa"))
				.build(), HttpResponse.BodyHandlers.ofString());
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(PaymentProviderServerTests::isAnybodyWaiting);
		provider.close();
		assertThat(answer.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
	}

	private static boolean isAnybodyWaiting() {
		return Thread.getAllStackTraces()
			.values()
			.stream()
			.flatMap(Arrays::stream)
			.anyMatch((frame) -> frame.getClassName().equals(FaultSwitches.class.getName())
					&& frame.getMethodName().equals("delay"));
	}

	/**
	 * As the embedded database is.
	 */
	private static final class ClosableDatabase implements JdbcConnectionDetails, AutoCloseable {

		private final TestDatabase database;

		private volatile boolean closed;

		ClosableDatabase(TestDatabase database) {
			this.database = database;
		}

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

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
