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

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.database.StatementCounter.Cost;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cost of a request where the lock of a claim is a row, compared with that of the
 * same handler without protection: the figures of docs/reference/databases.md. Those of
 * PostgreSQL are read from the wire.
 */
@Tag("COST")
class DialectCostTests {

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
	void aRequestCostsWhatTheDocumentationSays(DatabaseKind kind) {
		try (RunningApplication application = RunningApplication.start(TestDatabase.create(kind),
				List.of(Payments.class), "idempotency.completer.enabled=false", "idempotency.reaper.enabled=false",
				"idempotency.job.enabled=false")) {
			StatementCounter counter = application.context().getBean(StatementCounter.class);
			Gates gates = application.context().getBean(Gates.class);
			pay(application, "/payments", "warm");
			Cost plain = counter.measure(() -> pay(application, "/unprotected", "a"));
			Cost fresh = counter.measure(() -> pay(application, "/payments", "a")).minus(plain);
			Cost replay = counter.measure(() -> pay(application, "/payments", "a"));
			Cost leased = counter.measure(() -> pay(application, "/leased", "b"));
			CompletableFuture<Integer> owner = Parallel.start(() -> pay(application, "/gated", "c"));
			gates.awaitReached("c");
			Cost refused = counter.measure(() -> assertThat(pay(application, "/gated", "c")).isEqualTo(409));
			gates.open("c");
			owner.join();
			assertThat(Map.of("fresh", fresh, "replay", replay, "leased", leased, "refused", refused))
				.isEqualTo(Map.of("fresh", new Cost(9, 0), "replay", new Cost(1, 0), "leased", new Cost(14, 2),
						"refused", new Cost(5, 0)));
		}
	}

	private static int pay(RunningApplication application, String path, String key) {
		return application.post(ALICE, path, key, Labelled.json(key)).statusCode();
	}

	@Configuration(proxyBeanMethods = false)
	@RestController
	@Import(Gates.class)
	static class Payments {

		private final Effects effects;

		private final Gates gates;

		Payments(Effects effects, Gates gates) {
			this.effects = effects;
			this.gates = gates;
		}

		@Bean
		static StatementCounter statementCounter() {
			return new StatementCounter();
		}

		@Idempotent
		@ResponseStatus(HttpStatus.CREATED)
		@PostMapping("/payments")
		String pay(@RequestBody Labelled payment) {
			return this.effects.record(payment.label()).getLabel();
		}

		@ResponseStatus(HttpStatus.CREATED)
		@PostMapping("/unprotected")
		String payWithout(@RequestBody Labelled payment) {
			return this.effects.record(payment.label()).getLabel();
		}

		@Idempotent
		@ResponseStatus(HttpStatus.CREATED)
		@PostMapping("/gated")
		String payLater(@RequestBody Labelled payment) {
			this.gates.pass(payment.label());
			return payment.label();
		}

		@Idempotent(mode = Mode.LEASED)
		@ResponseStatus(HttpStatus.CREATED)
		@PostMapping("/leased")
		String payLeased(@RequestBody Labelled payment) {
			return payment.label();
		}

	}

}
