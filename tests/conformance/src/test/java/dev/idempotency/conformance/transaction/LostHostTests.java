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

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The host of an owner that is lost without a word, from the server's point of view. Its
 * key is free when the server ends the session.
 */
@Tag("postgresql")
@Tag("X37")
class LostHostTests {

	private static final String SETTINGS = """
			select current_setting('tcp_keepalives_idle') || '+' || current_setting('tcp_keepalives_interval')""";

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		// One connection for everything: a setting that stays is seen by the next.
		application = RunningApplication.start(Handlers.class, "spring.datasource.hikari.maximum-pool-size=2",
				"idempotency.completer.enabled=false");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional", "/phases" })
	void theServerProbesTheHostOfAnOwnerForTheTimeOfItsTransactionOnly(String path) {
		String before = application.jdbc().queryForObject(SETTINGS, String.class);
		var answer = application.post(ALICE, path, "key" + path, Labelled.json("probed"));
		assertOriginal(answer, 200);
		assertThat(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo("15+2");
		assertThat(before).isNotEqualTo("15+2");
		for (int i = 0; i < 4; i++) {
			assertThat(application.jdbc().queryForObject(SETTINGS, String.class)).isEqualTo(before);
		}
	}

	@RestController
	static class Handlers {

		private final JdbcTemplate jdbc;

		Handlers(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Idempotent
		@PostMapping("/transactional")
		String transactional() {
			return settings();
		}

		@Idempotent
		@PostMapping("/phases")
		String phases(Phases phases) {
			String seen = phases.atomic("seen", String.class, this::settings);
			return phases.finish(() -> seen);
		}

		private String settings() {
			return String.valueOf(this.jdbc.queryForObject(SETTINGS, String.class));
		}

	}

}
