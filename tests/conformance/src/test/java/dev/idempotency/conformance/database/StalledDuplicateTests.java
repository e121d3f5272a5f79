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
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Duplicates whose node stalls after one of their statements: the owner of the key does
 * not notice.
 */
@Tag("X34")
class StalledDuplicateTests {

	private static final List<String> PATHS = List.of("/transactional", "/leased", "/leased-transactional", "/phases");

	/**
	 * More than any duplicate sends.
	 */
	private static final int STATEMENTS = 20;

	@ParameterizedTest
	@EnumSource
	void aDuplicateThatStallsAfterAnyStatementCostsTheOwnerNothing(DatabaseKind kind) {
		try (RunningApplication application = start(kind)) {
			for (String path : PATHS) {
				int number = 1;
				while (stallAfter(application, path, number)) {
					number++;
				}
				assertThat(number).as("statements of a duplicate").isBetween(2, STATEMENTS);
			}
		}
	}

	/**
	 * Returns whether the duplicate sent that many statements.
	 */
	private static boolean stallAfter(RunningApplication application, String path, int number) {
		Gates gates = application.context().getBean(Gates.class);
		StalledStatement stall = application.context().getBean(StalledStatement.class);
		String key = path.substring(1) + number;
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post(path, key));
		gates.awaitReached(key);
		stall.begin();
		CompletableFuture<HttpResponse<byte[]>> duplicate = Parallel.start(() -> application.post(path, key));
		boolean stalled = stall.awaitStalled(number, duplicate);
		gates.open(key);
		HttpResponse<byte[]> first = owner.join();
		stall.end();
		assertOriginal(first, 201);
		assertThat(duplicate.join().statusCode()).isIn(201, 409);
		assertReplay(application.post(path, key), first);
		assertThat(application.effects(key)).isEqualTo(1);
		return stalled;
	}

	/**
	 * The duplicate was first to ask, stalled, and goes on when the owner has its lease.
	 * On PostgreSQL it would have the lease.
	 */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
	void aDuplicateThatAskedBeforeTheClaimCostsTheOwnerNothing(DatabaseKind kind) {
		try (RunningApplication application = start(kind)) {
			Gates gates = application.context().getBean(Gates.class);
			StalledStatement stall = application.context().getBean(StalledStatement.class);
			for (int number = 2; number <= STATEMENTS; number++) {
				String key = "asked" + number;
				stall.begin();
				CompletableFuture<HttpResponse<byte[]>> duplicate = Parallel
					.start(() -> application.post("/leased", key));
				stall.awaitStalled(1, duplicate);
				CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/leased", key));
				gates.awaitReached(key);
				boolean stalled = stall.awaitStalled(number, duplicate);
				gates.open(key);
				HttpResponse<byte[]> first = owner.join();
				stall.end();
				assertOriginal(first, 201);
				assertThat(duplicate.join().statusCode()).isIn(201, 409);
				assertThat(application.effects(key)).isEqualTo(1);
				if (!stalled) {
					return;
				}
			}
		}
	}

	private static RunningApplication start(DatabaseKind kind) {
		return RunningApplication.start(TestDatabase.create(kind), List.of(Handlers.class),
				"idempotency.lease.duration=60s", "idempotency.completer.enabled=false",
				"idempotency.reaper.enabled=false", "idempotency.job.enabled=false");
	}

	@Configuration(proxyBeanMethods = false)
	@RestController
	@ResponseStatus(HttpStatus.CREATED)
	@Import(Gates.class)
	static class Handlers {

		private final Effects effects;

		private final Gates gates;

		Handlers(Effects effects, Gates gates) {
			this.effects = effects;
			this.gates = gates;
		}

		@Bean
		static StalledStatement stalledStatement() {
			return new StalledStatement();
		}

		@Idempotent
		@PostMapping("/transactional")
		String transactional(@RequestBody Labelled body) {
			return executed(body);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		String leased(@RequestBody Labelled body) {
			return executed(body);
		}

		@Transactional
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased-transactional")
		String leasedInTransaction(@RequestBody Labelled body) {
			return executed(body);
		}

		@Idempotent
		@PostMapping("/phases")
		String phases(@RequestBody Labelled body, Phases phases) {
			phases.atomic("first", () -> this.effects.record(body.label()));
			this.gates.pass(body.label());
			return phases.finish(() -> body.label());
		}

		private String executed(Labelled body) {
			this.effects.record(body.label());
			this.gates.pass(body.label());
			return body.label();
		}

	}

}
