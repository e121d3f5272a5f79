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
package dev.idempotency.conformance.surroundings;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpRequest;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

import dev.idempotency.client.IdempotencyKeys;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Retries of a client that sets keys automatically, sent to protected endpoints.
 */
class ClientRetryTests {

	private static Provider provider;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = ClientHandlers.start(provider, "warn");
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	/**
	 * A client as Spring Boot builds it, whose deliveries are watched below its retries.
	 */
	private static RestClient client(ClientHttpRequestInterceptor wire) {
		return application.context()
			.getBean(RestClient.Builder.class)
			.baseUrl("http://127.0.0.1:" + application.port())
			.defaultHeaders((headers) -> headers.setBasicAuth(ALICE, ALICE))
			.requestInterceptor(wire)
			.build();
	}

	private static String post(RestClient client, String label, String body) {
		return client.post()
			.uri("/transactional/" + label)
			.contentType(MediaType.APPLICATION_JSON)
			.body(Labelled.json(body))
			.retrieve()
			.requiredBody(String.class);
	}

	@Test
	@Tag("P1")
	void anAnswerThatIsLostIsAskedForAgainAndHasOneEffect() {
		ClientHandlers.handle("lost", (handlers) -> handlers.effects.record("lost").getLabel());
		Wire wire = new Wire(2);
		assertThat(post(client(wire), "lost", "lost")).contains("lost");
		assertThat(wire.statuses).containsExactly(201, 201, 201);
		assertThat(application.effects("lost")).isEqualTo(1);
	}

	@Test
	void aRequestThatIsInProgressIsAskedForAgainUntilItIsAnswered() {
		Gates gates = new Gates();
		ClientHandlers.handle("slow", (handlers) -> {
			handlers.effects.record("slow");
			gates.pass("refused");
			return "slow";
		});
		Wire first = new Wire(0);
		Wire second = new Wire(0);
		second.after = () -> gates.open("refused");
		CompletableFuture<String> original = CompletableFuture
			.supplyAsync(() -> IdempotencyKeys.operation("slow-operation", () -> post(client(first), "slow", "slow")));
		gates.awaitReached("refused");
		String answer = IdempotencyKeys.operation("slow-operation", () -> post(client(second), "slow", "slow"));
		assertThat(answer).isEqualTo(original.join());
		assertThat(second.statuses).startsWith(409).endsWith(201);
		assertThat(application.effects("slow")).isEqualTo(1);
	}

	@Test
	void aKeyThatStandsForAnotherRequestIsNotTriedAgain() {
		ClientHandlers.handle("reused", (handlers) -> "first");
		Wire wire = new Wire(0);
		RestClient client = client(wire);
		IdempotencyKeys.operation("reused-operation", () -> {
			post(client, "reused", "first");
			assertThatExceptionOfType(HttpClientErrorException.UnprocessableContent.class)
				.isThrownBy(() -> post(client, "reused", "second"));
		});
		assertThat(wire.statuses).containsExactly(201, 422);
	}

	/**
	 * A network whose answers may get lost.
	 */
	private static final class Wire implements ClientHttpRequestInterceptor {

		private final List<Integer> statuses = new CopyOnWriteArrayList<>();

		private final int losses;

		private Runnable after = () -> {
		};

		Wire(int losses) {
			this.losses = losses;
		}

		@Override
		public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
				throws IOException {
			ClientHttpResponse response = execution.execute(request, body);
			this.statuses.add(response.getStatusCode().value());
			this.after.run();
			if (this.statuses.size() <= this.losses) {
				response.close();
				throw new IOException("the connection broke");
			}
			return response;
		}

	}

}
