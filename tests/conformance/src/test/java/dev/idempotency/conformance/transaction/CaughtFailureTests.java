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
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A handler that catches the exception of a service, or of a statement, and returns its
 * answer. The transaction can no longer commit.
 */
class CaughtFailureTests {

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Transfers.class));
		application.jdbc().execute("create table taken_name (name varchar(10) primary key)");
		application.jdbc().update("insert into taken_name values ('taken')");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	/**
	 * The error says that nothing was done, and nothing was.
	 */
	@ParameterizedTest
	@Tag("X3")
	@Tag("X14")
	@CsvSource({ "/kept,throws", "/kept,marks", "/kept,taken", "/leased,throws", "/leased,marks", "/leased,taken",
			"/phased,throws", "/phased,marks", "/phased,taken" })
	void anErrorThatIsReturnedIsTheHandlersOwnAndIsReplayed(String prefix, String failure) {
		HttpResponse<byte[]> unprotected = application.post("/plain/" + failure + "/409", this.key);
		HttpResponse<byte[]> first = application.post(prefix + "/" + failure + "/409", this.key);
		assertOriginal(first, 409);
		assertThat(text(first)).isEqualTo(text(unprotected));
		assertReplay(application.post(prefix + "/" + failure + "/409", this.key), first);
		assertThat(application.effects(this.key)).isZero();
	}

	@ParameterizedTest
	@Tag("X11")
	@Tag("X14")
	@CsvSource({ "/kept,throws", "/kept,marks", "/leased,throws", "/leased,marks", "/phased,throws", "/phased,marks" })
	void aSuccessThatIsReturnedIsAnError(String prefix, String failure) {
		for (int i = 0; i < 2; i++) {
			assertOriginal(application.post(prefix + "/" + failure + "/200", this.key), 500);
		}
		assertThat(application.effects(this.key)).isZero();
	}

	/**
	 * A service that joins the transaction.
	 */
	static class Ledger {

		private final Effects effects;

		Ledger(Effects effects) {
			this.effects = effects;
		}

		@Transactional
		public void fail(String label) {
			this.effects.record(label);
			throw new IllegalStateException("As it should");
		}

		@Transactional
		public void mark(String label) {
			this.effects.record(label);
			TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
		}

	}

	@RestController
	@Import(Ledger.class)
	static class Transfers {

		private final Ledger ledger;

		private final JdbcTemplate jdbc;

		Transfers(Ledger ledger, JdbcTemplate jdbc) {
			this.ledger = ledger;
			this.jdbc = jdbc;
		}

		@PostMapping("/plain/{failure}/{status}")
		ResponseEntity<String> transfer(@PathVariable String failure, @PathVariable int status,
				@RequestBody Labelled transfer) {
			try {
				switch (failure) {
					case "throws" -> this.ledger.fail(transfer.label());
					case "marks" -> this.ledger.mark(transfer.label());
					default -> this.jdbc.update("insert into taken_name values (?)", failure);
				}
				return ResponseEntity.status(status).body("marked");
			}
			catch (RuntimeException ex) {
				return ResponseEntity.status(status).body("caught " + ex.getClass().getSimpleName());
			}
		}

		@Idempotent
		@PostMapping("/kept/{failure}/{status}")
		ResponseEntity<String> kept(@PathVariable String failure, @PathVariable int status,
				@RequestBody Labelled transfer) {
			return transfer(failure, status, transfer);
		}

		@Idempotent
		@PostMapping("/phased/{failure}/{status}")
		ResponseEntity<String> phased(@PathVariable String failure, @PathVariable int status,
				@RequestBody Labelled transfer, Phases phases) {
			return phases.finish(() -> transfer(failure, status, transfer));
		}

		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@PostMapping("/leased/{failure}/{status}")
		public ResponseEntity<String> leased(@PathVariable String failure, @PathVariable int status,
				@RequestBody Labelled transfer) {
			return transfer(failure, status, transfer);
		}

	}

}
