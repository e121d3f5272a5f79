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
package dev.idempotency.conformance.security;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RawConnection;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hostile keys, and what a key, a body or a principal must not get into.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConfidentialityTests {

	private static final String LIBRARY = "dev.idempotency";

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Payments.class);
		LoggingSystem.get(Payments.class.getClassLoader()).setLogLevel(LIBRARY, LogLevel.TRACE);
	}

	@AfterAll
	static void stop() {
		LoggingSystem.get(Payments.class.getClassLoader()).setLogLevel(LIBRARY, LogLevel.INFO);
		application.close();
	}

	private static HttpResponse<byte[]> pay(String user, String key, String label) {
		return application.post(user, "/payments", key, Labelled.json(label));
	}

	@ParameterizedTest
	@ValueSource(strings = { "';drop/**/table/**/idempotency_record;--", "%0d%0aSet-Cookie:%20a=b", "*", "?", "%",
			"[a-z]*", "\\x00", "${jndi:ldap://127.0.0.1/a}", "../../etc/passwd", "<script>alert(1)</script>", "{{7*7}}",
			"$1" })
	@Tag("Y4")
	void aHostileKeyIsAKeyLikeAnyOther(String key, CapturedOutput output) {
		String label = "y4-" + Integer.toHexString(key.hashCode());
		HttpResponse<byte[]> first = pay(ALICE, key, label);
		assertOriginal(first, 201);
		HttpResponse<byte[]> retry = pay(ALICE, key, label);
		assertReplay(retry, first);
		assertThat(pay(ALICE, key + "x", label).body()).isNotEqualTo(first.body());
		assertThat(application.effects(label)).isEqualTo(2);
		for (HttpResponse<byte[]> response : List.of(first, retry)) {
			assertThat(response.headers().firstValue("Set-Cookie")).isEmpty();
			assertThat(response.headers().map().values()).noneMatch((values) -> values.contains(key));
		}
		assertThat(output.getAll().lines()).noneMatch((line) -> line.contains(" " + key) || line.contains("'" + key));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\r\n Set-Cookie: forged=1", "a\nforged", "a\rforged", "a\u001b[31mforged", "a\u0000b",
			"a\tb\u007f", "\u00e4\u00f6\u00fc" })
	@Tag("Y4")
	void aKeyThatCouldForgeALineIsRefusedAndNotRepeated(String key, CapturedOutput output) throws IOException {
		long records = application.records();
		try (RawConnection client = RawConnection.open(application)) {
			client.postJson(ALICE, "/payments", key, Labelled.json("y4-forged"));
			String head = client.readHead();
			assertThat(head).startsWith("HTTP/1.1 400").doesNotContain("forged");
		}
		assertThat(application.effects("y4-forged")).isZero();
		assertThat(application.records()).isEqualTo(records);
		assertThat(output.getAll().lines()).noneMatch((line) -> line.startsWith("forged"));
	}

	@Test
	@Tag("Y5")
	void keysBodiesAndPrincipalsAreNeitherLoggedNorMeasured(CapturedOutput output) {
		String key = "secret-key-5f1c";
		assertOriginal(pay(ALICE, key, "secret-body-5f1c"), 201);
		assertThat(pay(ALICE, key, "secret-body-5f1c").statusCode()).isEqualTo(201);
		assertProblem(pay(ALICE, key, "secret-other-5f1c"), 422, "key-reused");
		assertProblem(pay(ALICE, key + "x".repeat(255), "secret-body-5f1c"), 400, "malformed-key");
		assertOriginal(pay(BOB, key + "-refused", "secret-refused-5f1c"), 500);
		assertThat(output.getAll()).doesNotContain("5f1c", ALICE);
		List<String> tags = application.context()
			.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.map(Meter::getId)
			.flatMap((id) -> id.getTags().stream())
			.map(io.micrometer.core.instrument.Tag::getValue)
			.toList();
		assertThat(tags).isNotEmpty().noneMatch((value) -> value.contains("5f1c") || value.contains(ALICE));
	}

	@Test
	@Tag("Y5")
	void theStoreHoldsNeitherKeyNorPrincipal() {
		assertOriginal(pay(ALICE, "stored-key-77aa", "y5-store"), 201);
		assertThat(application.storedText("*")).contains("POST /").doesNotContain("stored-key-77aa", ALICE);
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		ResponseEntity<Map<String, Object>> pay(@RequestBody Labelled payment) {
			if (payment.label().contains("refused")) {
				return ResponseEntity.internalServerError().build();
			}
			return ResponseEntity.status(HttpStatus.CREATED)
				.header("X-Effect", "made")
				.body(Map.of("id", this.effects.record(payment.label()).getId()));
		}

	}

}
