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
package dev.idempotency.conformance.request;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group K: the key, as the settings say.
 */
class KeySettingsTests {

	private static final String FORMAT = "[a-z0-9-]{8,40}";

	private static RunningApplication strict;

	private static RunningApplication shaped;

	private final String label = UUID.randomUUID().toString();

	private final String path = "/payments/" + this.label;

	@BeforeAll
	static void start() {
		strict = RunningApplication.start(Payments.class, "idempotency.header-syntax=strict",
				"idempotency.required=false");
		shaped = RunningApplication.start(Payments.class, "idempotency.header=X-Request-Key",
				"idempotency.key.pattern=" + FORMAT);
	}

	@AfterAll
	static void stop() {
		strict.close();
		shaped.close();
	}

	@Test
	@Tag("K1")
	@Tag("K2")
	void keysAreOptionalWhereTheSettingSaysSo() {
		long records = strict.records();
		for (int i = 0; i < 2; i++) {
			assertOriginal(strict.send(strict.json(ALICE, this.path, "{}")), 200);
		}
		assertThat(strict.effects(this.label)).isEqualTo(2);
		assertThat(strict.records()).isEqualTo(records);
	}

	@Test
	@Tag("K3")
	void aQuotedKeyIsAcceptedInStrictSyntax() {
		HttpResponse<byte[]> first = strict.post(ALICE, this.path, '"' + this.label + '"', "{}");
		assertOriginal(first, 200);
		assertReplay(strict.post(ALICE, this.path, '"' + this.label + "\";v=1", "{}"), first);
		assertThat(strict.effects(this.label)).isEqualTo(1);
	}

	@ParameterizedTest
	@Tag("K4")
	@Tag("K9")
	@ValueSource(strings = { "2b1c6f3e-0f0c-4a57-8f0a-4a4dc0d8a001", "c0ffee00-0f0c-4a57-8f0a-4a4dc0d8a002", "token",
			"42", "?1", ":aGk=:", "\"open" })
	void anythingButAQuotedStringIsRefusedInStrictSyntax(String key) {
		assertProblem(strict.post(ALICE, this.path, key, "{}"), 400, "malformed-key");
		assertThat(strict.effects(this.label)).isZero();
	}

	@Test
	@Tag("K7")
	@Tag("K8")
	void aPatternBoundsTheLength() {
		for (String refused : new String[] { "a".repeat(7), "a".repeat(41), "\"aaa\"", "\"aaaaaaa\"" }) {
			assertProblem(send(refused), 400, "malformed-key");
		}
		assertThat(shaped.effects(this.label)).isZero();
		assertOriginal(send("a".repeat(8)), 200);
		assertOriginal(send("a".repeat(40)), 200);
		assertThat(shaped.effects(this.label)).isEqualTo(2);
	}

	@Test
	@Tag("K15")
	void aKeyThatIsNotOfTheConfiguredFormatIsToldTheFormat() {
		HttpResponse<byte[]> refused = send("UPPER_CASE");
		assertProblem(refused, 400, "malformed-key");
		assertThat(text(refused)).contains(FORMAT).doesNotContain("UPPER_CASE");
		assertThat(shaped.effects(this.label)).isZero();
	}

	@Test
	@Tag("K16")
	void aConfiguredHeaderReplacesTheDefault() {
		assertProblem(shaped.post(ALICE, this.path, this.label, "{}"), 400, "missing-key");
		HttpResponse<byte[]> first = send(this.label);
		assertOriginal(first, 200);
		HttpRequest.Builder retry = shaped.json(ALICE, this.path, "{}").header("x-request-KEY", this.label);
		assertReplay(shaped.send(retry), first);
		assertThat(shaped.effects(this.label)).isEqualTo(1);
	}

	private HttpResponse<byte[]> send(String key) {
		return shaped.send(shaped.json(ALICE, this.path, "{}").header("X-Request-Key", key));
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments/{label}")
		Map<String, Object> pay(@PathVariable String label) {
			return Map.of("id", this.effects.record(label).getId());
		}

	}

}
