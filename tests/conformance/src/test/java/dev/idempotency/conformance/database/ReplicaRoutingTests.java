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

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * One database with a standby, to which a data source routes read-only transactions.
 */
@Tag("postgresql")
@Tag("X29")
@ExtendWith(OutputCaptureExtension.class)
class ReplicaRoutingTests {

	@Test
	void requestsAreProtectedOnThePrimaryWhileReadOnlyTransactionsAreOnTheStandby(CapturedOutput output) {
		try (DedicatedServer primary = TestDatabase.startDedicatedServer(Map.of());
				DedicatedServer standby = primary.startStandby();
				RunningApplication application = RunningApplication.start(primary.database("postgres"),
						List.of(Handlers.class, RoutedDatabases.class),
						RoutedDatabases.reader(standby.database("postgres")))) {
			for (String path : List.of("/transactional", "/leased")) {
				HttpResponse<byte[]> first = application.post(path, path);
				assertOriginal(first, 200);
				assertReplay(application.post(path, path), first);
				assertThat(application.effects(path)).isEqualTo(1);
			}
			assertThat(text(application.send(application.request(ALICE, "/standby").GET()))).isEqualTo("true");
			assertThat(records(standby)).isEqualTo(2);
			assertThat(output).doesNotContain("IDEM-1013");
		}
	}

	/**
	 * Counts without waiting: a commit waits for the standby.
	 */
	private static long records(DedicatedServer server) {
		TestDatabase database = server.database("postgres");
		return new JdbcTemplate(
				new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()))
			.queryForList("select id from idempotency_record")
			.size();
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		private final JdbcTemplate jdbc;

		Handlers(Effects effects, DataSource dataSource) {
			this.effects = effects;
			this.jdbc = new JdbcTemplate(dataSource);
		}

		@Idempotent
		@PostMapping("/transactional")
		Map<String, Object> transactional(@RequestBody Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, Object> leased(@RequestBody Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Transactional(readOnly = true)
		@GetMapping("/standby")
		public String standby() {
			return this.jdbc.queryForList("select pg_is_in_recovery()::text", String.class).get(0);
		}

	}

}
