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

import java.net.http.HttpResponse;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A PgBouncer that pools transactions between application and database. Run with the
 * system property {@code idempotency.test.database=pgbouncer}, together with the other
 * tests that are to go through it.
 */
@Tag("pgbouncer")
@Tag("X28")
class PgBouncerTests {

	/**
	 * More than PgBouncer has sessions: connections that keep something in theirs lose
	 * it.
	 */
	private static final int CLIENTS = 30;

	@Test
	void moreConnectionsThanSessionsAreInUse() {
		try (RunningApplication application = RunningApplication.start(Handlers.class,
				"spring.datasource.hikari.maximum-pool-size=" + CLIENTS,
				"spring.datasource.hikari.minimum-idle=" + CLIENTS)) {
			HikariPoolMXBean pool = application.context().getBean(HikariDataSource.class).getHikariPoolMXBean();
			await().until(() -> pool.getTotalConnections() == CLIENTS);
			List<Integer> answers = Parallel.run(CLIENTS,
					() -> application.jdbc().queryForObject("select 1", Integer.class));
			assertThat(answers).hasSize(CLIENTS);
			Integer sessions = application.jdbc()
				.queryForObject("select count(*) from pg_stat_activity where datname = current_database()",
						Integer.class);
			assertThat(sessions).isLessThan(CLIENTS);
		}
	}

	@Test
	void requestsKeepTheirPromisesThoughTheirTransactionsChangeSessions() {
		try (RunningApplication application = RunningApplication.start(Handlers.class,
				"spring.datasource.hikari.maximum-pool-size=" + CLIENTS, "server.tomcat.threads.max=" + CLIENTS)) {
			for (String path : List.of("/one-commit", "/leased", "/phases")) {
				HttpResponse<byte[]> first = post(application, path);
				List<HttpResponse<byte[]>> responses = Parallel.run(CLIENTS, () -> post(application, path));
				assertOriginal(first, 201);
				responses.forEach((response) -> assertReplay(response, first));
				assertThat(application.effects(path)).isEqualTo(1);
			}
			assertThat(application.jdbc().queryForList("select 1 from pg_locks where locktype = 'advisory'")).isEmpty();
			assertThat(application.jdbc().queryForList("select 1 from idempotency_lease where namespace <> ''"))
				.isEmpty();
		}
	}

	@Test
	void manyDeliveriesAtOnceHaveOneEffect() {
		try (RunningApplication application = RunningApplication.start(Handlers.class,
				"spring.datasource.hikari.maximum-pool-size=" + CLIENTS, "server.tomcat.threads.max=" + CLIENTS)) {
			for (String path : List.of("/one-commit", "/leased", "/phases")) {
				List<HttpResponse<byte[]>> responses = Parallel.run(CLIENTS, () -> post(application, path));
				assertThat(responses).extracting(HttpResponse::statusCode).isSubsetOf(201, 409).contains(201);
				assertThat(post(application, path).statusCode()).isEqualTo(201);
				assertThat(application.effects(path)).isEqualTo(1);
			}
		}
	}

	/**
	 * A session in which it was set would be that of another client when it is set back.
	 */
	@Test
	void theIsolationOfTheLibrarysTransactionsStaysInThem() {
		TestDatabase database = MigratedDatabase.create();
		String name = database.jdbcUrl().replaceAll(".*/([^/?]+)\\?.*", "$1");
		new TestDatabase(database.jdbcUrl().replace(name, "postgres"), database.username(), database.password())
			.execute("ALTER DATABASE " + name + " SET default_transaction_isolation = 'repeatable read'");
		try (RunningApplication application = RunningApplication.start(database, List.of(Handlers.class),
				"spring.datasource.hikari.maximum-pool-size=" + CLIENTS, "server.tomcat.threads.max=" + CLIENTS)) {
			Parallel.run(CLIENTS, () -> post(application, "/leased"));
			List<String> isolations = Parallel.run(CLIENTS, () -> application.jdbc()
				.queryForObject("select current_setting('default_transaction_isolation')", String.class));
			assertThat(isolations).containsOnly("repeatable read");
			assertThat(post(application, "/leased").statusCode()).isEqualTo(201);
			assertThat(application.effects("/leased")).isEqualTo(1);
		}
	}

	private static HttpResponse<byte[]> post(RunningApplication application, String path) {
		return application.post(RunningApplication.ALICE, path, "key" + path.replace('/', '-'), Labelled.json(path));
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/one-commit")
		@ResponseStatus(HttpStatus.CREATED)
		String oneCommit(@RequestBody Labelled body) {
			return this.effects.record(body.label()).getId().toString();
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		@ResponseStatus(HttpStatus.CREATED)
		String leased(@RequestBody Labelled body) {
			return this.effects.record(body.label()).getId().toString();
		}

		@Idempotent
		@PostMapping("/phases")
		@ResponseStatus(HttpStatus.CREATED)
		String phases(@RequestBody Labelled body, Phases phases) {
			String id = phases.atomic("record", String.class,
					() -> this.effects.record(body.label()).getId().toString());
			return phases.finish(() -> id);
		}

	}

}
