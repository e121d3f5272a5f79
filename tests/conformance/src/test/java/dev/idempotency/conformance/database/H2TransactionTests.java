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
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Requests on H2 whose transaction ends in the middle: what they wrote is gone or
 * committed, and the connection goes on in a new transaction.
 */
@Tag("X32")
class H2TransactionTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(TestDatabase.create(DatabaseKind.H2), List.of(Handlers.class));
		application.jdbc().execute("create table stock (item varchar(10) primary key, pieces int)");
		application.jdbc().execute("insert into stock values ('a', 0), ('b', 0)");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	/**
	 * The victim is the one that was first to wait.
	 */
	@Test
	void theVictimOfADeadlockThatItsHandlerCatchesIsNoSuccess() throws SQLException {
		try (Connection other = application.database().connect(); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("update stock set pieces = pieces - 1 where item = 'b'");
			CompletableFuture<HttpResponse<byte[]>> order = Parallel.start(() -> application.post("/orders", "x32"));
			await().until(() -> !application.jdbc()
				.queryForList("select 1 from information_schema.sessions where blocker_id is not null")
				.isEmpty());
			statement.execute("update stock set pieces = pieces - 1 where item = 'a'");
			assertProblem(order.join(), 503, "store-unavailable");
			assertThat(Handlers.CAUGHT).isTrue();
			other.rollback();
		}
		assertThat(application.effects("x32")).isZero();
		assertThat(application.records()).isZero();
		HttpResponse<byte[]> retry = application.post("/orders", "x32");
		assertOriginal(retry, 201);
		assertReplay(application.post("/orders", "x32"), retry);
		assertThat(application.effects("x32")).isEqualTo(1);
		application.jdbc().update("delete from idempotency_record");
	}

	@ParameterizedTest
	@ValueSource(strings = { "commit", "rollback" })
	void aHandlerThatEndsItsTransactionIsNoSuccess(String end) {
		long before = application.records();
		for (int i = 0; i < 2; i++) {
			assertProblem(application.post("/" + end, end), 503, "store-unavailable");
			assertThat(application.effects("after-" + end)).isZero();
			assertThat(application.records()).isEqualTo(before);
		}
	}

	@RestController
	@ResponseStatus(HttpStatus.CREATED)
	static class Handlers {

		static final AtomicBoolean CAUGHT = new AtomicBoolean();

		private final Effects effects;

		private final JdbcTemplate jdbc;

		private final DataSource dataSource;

		Handlers(Effects effects, JdbcTemplate jdbc, DataSource dataSource) {
			this.effects = effects;
			this.jdbc = jdbc;
			this.dataSource = dataSource;
		}

		@Idempotent
		@PostMapping("/orders")
		String order(@RequestBody Labelled order) {
			this.effects.recordAndFlush(order.label());
			this.jdbc.update("update stock set pieces = pieces - 1 where item = 'a'");
			try {
				this.jdbc.update("update stock set pieces = pieces - 1 where item = 'b'");
			}
			catch (DataAccessException ex) {
				// Ordered without b.
				CAUGHT.set(true);
			}
			return order.label();
		}

		@Idempotent
		@PostMapping("/{end}")
		String end(@PathVariable String end, @RequestBody Labelled order) throws SQLException {
			this.effects.recordAndFlush(order.label());
			Connection connection = DataSourceUtils.getConnection(this.dataSource);
			if (end.equals("commit")) {
				connection.commit();
			}
			else {
				connection.rollback();
			}
			this.effects.recordAndFlush("after-" + order.label());
			return order.label();
		}

	}

}
