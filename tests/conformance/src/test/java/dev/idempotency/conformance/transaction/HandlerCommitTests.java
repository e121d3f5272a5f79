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

import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that end their transaction themselves, past Spring: its lock is gone, and the
 * answer would be that of another transaction.
 */
@Tag("postgresql")
@ExtendWith(OutputCaptureExtension.class)
class HandlerCommitTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Handlers.class, "spring.web.error.include-message=always");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource({ "commit,1", "commit and chain,1", "rollback,0", "commit+begin,1", "Connection.commit,1",
			"Connection.rollback,0" })
	@Tag("X11")
	void anAnswerOfAnotherTransactionThanThatOfTheClaimIsRefused(String end, long effects, CapturedOutput output) {
		for (int i = 1; i <= 2; i++) {
			HttpResponse<byte[]> refused = application.post("/" + end.replace(" ", "%20"), this.label);
			assertOriginal(refused, 500);
			assertThat(text(refused)).contains("has ended its transaction itself");
			assertThat(application.records()).isZero();
			assertThat(application.effects(this.label)).isEqualTo(i * effects);
			assertThat(application.effects("after-" + this.label)).isZero();
		}
		assertThat(output.getOut().lines()).anySatisfy(
				(line) -> assertThat(line).contains("[IDEM-1311]", "POST /{end} has ended its transaction itself"));
		Leftovers.assertNone(application);
		Leftovers.assertAcknowledgedIsCommitted(application, 6, "/nothing");
		application.jdbc().update("delete from idempotency_record");
	}

	/**
	 * The record of an error is a statement before the commit, not one with it.
	 */
	@ParameterizedTest
	@CsvSource({ "commit,1", "rollback+begin,0", "Connection.commit,1" })
	@Tag("X11")
	void anErrorOfAnotherTransactionThanThatOfTheClaimIsRefused(String end, long effects) {
		HttpResponse<byte[]> refused = application.post("/declined/" + end.replace(" ", "%20"), this.label);
		assertOriginal(refused, 500);
		assertThat(text(refused)).contains("has ended its transaction itself");
		assertThat(application.records()).isZero();
		assertThat(application.effects(this.label)).isEqualTo(effects);
		assertThat(application.effects("after-" + this.label)).isZero();
		Leftovers.assertNone(application);
	}

	/**
	 * A manager of JDBC transactions reports that it could not roll back.
	 */
	@Test
	@Tag("X11")
	void anAnswerInAutoCommitModeIsRefused() {
		assertOriginal(application.post("/Connection.setAutoCommit", this.label), 500);
		assertThat(application.records()).isZero();
		Leftovers.assertNone(application);
	}

	@ParameterizedTest
	@ValueSource(strings = { "begin", "savepoint s+rollback to savepoint s+release savepoint s",
			"set local statement_timeout = '5s'", "listen shop+notify shop", "deallocate all" })
	@Tag("X11")
	void otherCommandsLeaveTheTransactionOfTheClaimAsItIs(String command) {
		HttpResponse<byte[]> first = application.post("/" + command.replace(" ", "%20"), this.label);
		assertOriginal(first, 200);
		assertReplay(application.post("/" + command.replace(" ", "%20"), this.label), first);
		assertThat(application.effects(this.label)).isEqualTo(1);
		application.jdbc().update("delete from idempotency_record");
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		private final JdbcTemplate jdbc;

		private final DataSource dataSource;

		Handlers(Effects effects, JdbcTemplate jdbc, DataSource dataSource) {
			this.effects = effects;
			this.jdbc = jdbc;
			this.dataSource = dataSource;
		}

		@Idempotent
		@PostMapping("/{end}")
		Map<String, String> pay(@PathVariable String end, @RequestBody Labelled payment) throws SQLException {
			this.effects.recordAndFlush(payment.label());
			Connection connection = DataSourceUtils.getConnection(this.dataSource);
			switch (end) {
				case "nothing" -> {
					// Spring ends the transaction.
				}
				case "Connection.commit" -> connection.commit();
				case "Connection.rollback" -> connection.rollback();
				case "Connection.setAutoCommit" -> connection.setAutoCommit(true);
				default -> this.jdbc.execute(end.replace('+', ';'));
			}
			if (!end.equals("Connection.setAutoCommit")) {
				this.effects.record("after-" + payment.label());
			}
			return Map.of("label", payment.label());
		}

		@Idempotent
		@PostMapping("/declined/{end}")
		ResponseEntity<Map<String, String>> decline(@PathVariable String end, @RequestBody Labelled payment)
				throws SQLException {
			return ResponseEntity.status(HttpStatus.PAYMENT_REQUIRED).body(pay(end, payment));
		}

	}

}
