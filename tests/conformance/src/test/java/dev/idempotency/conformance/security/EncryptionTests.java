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

import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers that are encrypted in the database, over a rotation of their keys.
 */
class EncryptionTests {

	private static final String TYPE = "idempotency.codec.type=aes-gcm";

	private static final String OLD = "idempotency.codec.keys.old=" + key("an old key of thirty-two bytes..");

	private static final String NEW = "idempotency.codec.keys.new=" + key("a newer key of thirty-two bytes.");

	private static String key(String text) {
		return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
	}

	private static RunningApplication start(TestDatabase database, String... properties) {
		return RunningApplication.start(database, List.of(Payments.class), properties);
	}

	private static HttpResponse<byte[]> pay(RunningApplication application, String key) {
		return application.post(ALICE, "/payments", key, Labelled.json("y6"));
	}

	@Test
	@Tag("Y6")
	void storedAnswersAreUnreadableAndOutliveARotationOfKeysWhileTheOldKeyIsThere() {
		TestDatabase database = MigratedDatabase.create();
		HttpResponse<byte[]> first;
		try (RunningApplication application = start(database, TYPE, OLD)) {
			first = pay(application, "before");
			assertOriginal(first, 201);
			assertReplay(pay(application, "before"), first);
			assertUnreadable(application, "readable-body");
			assertUnreadable(application, "readable-header");
			assertUnreadable(application, "Location");
		}
		HttpResponse<byte[]> second;
		try (RunningApplication application = start(database, TYPE, OLD, NEW, "idempotency.codec.active-key=new")) {
			assertReplay(pay(application, "before"), first);
			second = pay(application, "after");
			assertOriginal(second, 201);
		}
		try (RunningApplication application = start(database, TYPE, NEW)) {
			assertReplay(pay(application, "after"), second);
			assertProblem(pay(application, "before"), 409, "not-replayable");
			assertThat(application.effects("y6")).isEqualTo(2);
		}
	}

	private static void assertUnreadable(RunningApplication application, String text) {
		assertThat(application.storedText("content")).as(text).doesNotContain(text);
		assertThat(application.jdbc().queryForList("select 1 from idempotency_record where content is null")).isEmpty();
	}

	@Test
	@Tag("Y6")
	void theTextThatEncryptionHidesIsThereWithoutIt() {
		try (RunningApplication application = start(MigratedDatabase.create())) {
			assertOriginal(pay(application, "plain"), 201);
			assertThat(application.storedText("content")).contains("readable-body", "readable-header");
		}
	}

	@Test
	@Tag("Y6")
	void operationStatusAndTimesAreReadableAllTheSame() {
		try (RunningApplication application = start(MigratedDatabase.create(), TYPE, OLD)) {
			assertOriginal(pay(application, "metadata"), 201);
			Map<String, Object> row = application.jdbc()
				.queryForMap("select operation, status, finished_at, expires_at from idempotency_record");
			assertThat(row.get("operation")).isEqualTo("POST /payments");
			assertThat(((Number) row.get("status")).intValue()).isEqualTo(201);
			assertThat(row).doesNotContainValue(null);
		}
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
			return ResponseEntity.created(URI.create("/payments/readable-header"))
				.body(Map.of("text", "readable-body", "id", this.effects.record(payment.label()).getId()));
		}

	}

}
