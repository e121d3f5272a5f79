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
package dev.idempotency.sample.provider;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The client's handling of answers that the provider seldom gives, by a server that gives
 * them in a fixed order.
 */
class PaymentProviderTests {

	private static final ChargeRequest RIDE = new ChargeRequest(1250, "usd", "tok_visa", "A ride",
			Map.of("ride", "r 1"));

	private static final int BROKEN_OFF = -1;

	private static final int CLOSED = -2;

	private static final int EMPTY = 204;

	private final Queue<Integer> script = new ConcurrentLinkedQueue<>();

	private final Queue<String> keys = new ConcurrentLinkedQueue<>();

	private final Queue<String> forms = new ConcurrentLinkedQueue<>();

	private HttpServer server;

	@BeforeEach
	void start() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/v1/charges", this::answer);
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
	}

	@ParameterizedTest
	@ValueSource(ints = { 409, 429, 500, 502, 503, 504, BROKEN_OFF, CLOSED, EMPTY })
	void whatMayPassIsRetriedWithTheSameKey(int failure) {
		expect(failure, failure, 200);
		assertThat(client(2).charge(RIDE, "k1")).isEqualTo(new Charge("ch_1", 1250, "usd", "succeeded"));
		assertThat(this.keys).containsExactly("k1", "k1", "k1");
		assertThat(this.forms).hasSize(3)
			.containsOnly("amount=1250&currency=usd&source=tok_visa&description=A+ride&metadata%5Bride%5D=r+1");
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 401, 404, 422 })
	void whatDoesNotPassIsNotRetried(int failure) {
		expect(failure, 200);
		assertThatExceptionOfType(HttpClientErrorException.class).isThrownBy(() -> client(2).charge(RIDE, "k1"))
			.satisfies((ex) -> assertThat(ex.getStatusCode().value()).isEqualTo(failure));
		assertThat(this.keys).hasSize(1);
	}

	@Test
	void aDeclineIsNotRetried() {
		expect(402, 200);
		assertThatExceptionOfType(ChargeDeclinedException.class).isThrownBy(() -> client(2).charge(RIDE, "k1"))
			.withCauseInstanceOf(HttpClientErrorException.class);
		assertThat(this.keys).hasSize(1);
	}

	@Test
	void theLastFailureIsWhatTheCallerGets() {
		expect(500, 409);
		assertThatExceptionOfType(HttpClientErrorException.Conflict.class)
			.isThrownBy(() -> client(1).charge(RIDE, "k1"));
		expect(409, 503);
		assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
			.isThrownBy(() -> client(1).charge(RIDE, "k2"));
		expect(503, BROKEN_OFF);
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> client(1).charge(RIDE, "k3"));
		expect(503, CLOSED);
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> client(1).charge(RIDE, "k4"));
		assertThat(this.keys).containsExactly("k1", "k1", "k2", "k2", "k3", "k3", "k4", "k4");
	}

	@Test
	void aClientThatDoesNotRetryAsksOnce() {
		expect(503, 200);
		assertThatExceptionOfType(HttpServerErrorException.class).isThrownBy(() -> client(0).charge(RIDE, "k1"));
		assertThat(this.keys).hasSize(1);
	}

	@Test
	void aProviderThatIsNotThereIsAFailureThatMayPass() {
		PaymentProvider client = client(1);
		stop();
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> client.charge(RIDE, "k1"));
	}

	private PaymentProvider client(int retries) {
		RestClient http = RestClient.create("http://127.0.0.1:" + this.server.getAddress().getPort());
		return new PaymentProvider(() -> http, retries);
	}

	private void expect(Integer... answers) {
		this.script.addAll(List.of(answers));
	}

	private void answer(HttpExchange exchange) throws IOException {
		this.keys.addAll(exchange.getRequestHeaders().get("Idempotency-Key"));
		this.forms.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
		byte[] body = "{\"id\":\"ch_1\",\"amount\":1250,\"currency\":\"usd\",\"status\":\"succeeded\",\"paid\":true}"
			.getBytes(StandardCharsets.UTF_8);
		int status = this.script.remove();
		try (exchange) {
			if (status != CLOSED) {
				exchange.getResponseHeaders().set("Content-Type", "application/json");
				exchange.sendResponseHeaders((status == BROKEN_OFF) ? 200 : status,
						(status == EMPTY) ? -1 : body.length);
				exchange.getResponseBody().write(sent(status, body));
			}
		}
	}

	private static byte[] sent(int status, byte[] body) {
		return switch (status) {
			case BROKEN_OFF -> Arrays.copyOf(body, body.length / 2);
			case EMPTY -> new byte[0];
			default -> body;
		};
	}

}
