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
package dev.idempotency.conformance;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Times are the database's, whatever clock the application has. That the library reads no
 * clock of the JVM is a rule of its own module's tests.
 */
class DatabaseClockTests {

	@Test
	@Tag("X16")
	void theLifeOfARecordFollowsTheDatabasesClock() {
		try (RunningApplication application = RunningApplication.start(Payments.class)) {
			OffsetDateTime before = databaseTime(application);
			assertOriginal(application.post(ALICE, "/payments", "x16", Labelled.json("x16")), 200);
			OffsetDateTime after = databaseTime(application);
			Map<String, Object> times = application.jdbc()
				.queryForMap(
						"select finished_at >= ?::timestamptz and finished_at <= ?::timestamptz as between, "
								+ "expires_at - finished_at = interval '24 hours' as whole from idempotency_record",
						before, after);
			assertThat(times).containsEntry("between", true).containsEntry("whole", true);
		}
	}

	private static OffsetDateTime databaseTime(RunningApplication application) {
		OffsetDateTime time = application.jdbc().queryForObject("select clock_timestamp()", OffsetDateTime.class);
		return (time != null) ? time : OffsetDateTime.MIN;
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
