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
package dev.idempotency.conformance.database;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;

import jakarta.persistence.EntityManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jpa.IdempotencyRecord;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Times are the database's, whatever clock the application has. That the library reads no
 * clock of the JVM is checked by the rules of its modules.
 */
class DatabaseClockTests {

	@Test
	@Tag("jpa")
	@Tag("X16")
	void theLifeOfARecordFollowsTheDatabasesClock() {
		try (RunningApplication application = RunningApplication.start(Payments.class)) {
			IdempotencyStore store = application.context().getBean(IdempotencyStore.class);
			Instant before = store.now();
			assertOriginal(application.post(ALICE, "/payments", "x16", Labelled.json("x16")), 200);
			Instant after = store.now();
			IdempotencyRecord stored = application.context()
				.getBean(EntityManager.class)
				.createQuery("from IdempotencyRecord", IdempotencyRecord.class)
				.getSingleResult();
			assertThat(stored.getFinishedAt()).isBetween(before, after);
			assertThat(stored.getExpiresAt()).isEqualTo(stored.getFinishedAt().plus(Duration.ofHours(24)));
		}
	}

	@RestController
	static class Payments {

		/**
		 * Ten minutes fast.
		 */
		@Bean
		static Clock clock() {
			return Clock.fixed(Instant.now().plus(Duration.ofMinutes(10)), ZoneOffset.UTC);
		}

		@Idempotent
		@PostMapping("/payments")
		String pay(@RequestBody Labelled payment) {
			return payment.label();
		}

	}

}
