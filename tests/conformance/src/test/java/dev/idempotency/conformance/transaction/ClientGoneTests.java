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
package dev.idempotency.conformance.transaction;

import java.io.IOException;
import java.net.http.HttpResponse;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RawConnection;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that hang up.
 */
class ClientGoneTests {

	/**
	 * More than the sockets between client and server hold, less than the limit.
	 */
	private static final int LARGE = 9_000_000;

	private static RunningApplication application;

	private static Gates gates;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Payments.class, "idempotency.limits.max-response-body=10MB");
		gates = application.context().getBean(Gates.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private static HttpResponse<byte[]> awaitReplay(String path, String label) {
		await().until(() -> application.effects(label) == 1);
		HttpResponse<byte[]> retry = application.post(ALICE, path, label, Labelled.json(label));
		assertThat(retry.statusCode()).isEqualTo(201);
		assertThat(isReplay(retry)).isTrue();
		assertThat(application.effects(label)).isEqualTo(1);
		return retry;
	}

	@Test
	@Tag("X6")
	void aClientThatHangsUpWhileTheHandlerRunsFindsTheAnswerOnItsRetry() throws IOException {
		try (RawConnection client = RawConnection.open(application)) {
			client.postJson(ALICE, "/payments", "handler", Labelled.json("handler"));
			gates.awaitReached("handler");
			client.reset();
		}
		gates.open("handler");
		assertThat(text(awaitReplay("/payments", "handler"))).isEqualTo("paid");
	}

	@Test
	@Tag("X6")
	void aClientThatHangsUpWhileItReadsTheAnswerFindsAllOfItOnItsRetry() throws IOException {
		gates.open("write");
		try (RawConnection client = RawConnection.open(application)) {
			client.postJson(ALICE, "/statements", "write", Labelled.json("write"));
			assertThat(client.readHead()).startsWith("HTTP/1.1 201");
			client.reset();
		}
		assertThat(text(awaitReplay("/statements", "write"))).isEqualTo("x".repeat(LARGE));
	}

	@RestController
	@Import(Gates.class)
	static class Payments {

		private final Effects effects;

		private final Gates gates;

		Payments(Effects effects, Gates gates) {
			this.effects = effects;
			this.gates = gates;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		String pay(@RequestBody Labelled payment) {
			this.effects.record(payment.label());
			this.gates.pass(payment.label());
			return "paid";
		}

		@Idempotent
		@PostMapping("/statements")
		@ResponseStatus(HttpStatus.CREATED)
		String state(@RequestBody Labelled payment) {
			pay(payment);
			return "x".repeat(LARGE);
		}

	}

}
