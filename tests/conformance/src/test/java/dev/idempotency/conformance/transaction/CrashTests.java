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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.Transactions;
import dev.idempotency.conformance.process.FaultApplication;
import dev.idempotency.conformance.process.FaultPoint;
import dev.idempotency.conformance.process.FaultyNode;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes that are killed. The retry goes to the other node, which is this JVM.
 */
@Tag("processes")
class CrashTests {

	private static TestDatabase database;

	private static RunningApplication survivor;

	@BeforeAll
	static void start() {
		database = MigratedDatabase.create();
		survivor = RunningApplication.start(database, List.of(FaultApplication.Payments.class),
				"spring.datasource.hikari.data-source-properties.ApplicationName=survivor");
	}

	@AfterAll
	static void stop() {
		survivor.close();
	}

	private static FaultyNode startVictim(FaultPoint fault) {
		return FaultyNode.start(database, fault,
				"spring.datasource.hikari.data-source-properties.ApplicationName=victim");
	}

	private static void awaitVictimDisconnected() {
		Transactions.awaitGone(survivor, "victim");
	}

	@Test
	@Tag("X7")
	void ofANodeThatIsKilledInTheHandlerNothingStaysAndTheRetryRunsAtOnce() {
		try (FaultyNode victim = startVictim(FaultPoint.IN_HANDLER)) {
			CompletableFuture<HttpResponse<byte[]>> first = victim.post(ALICE, "/payments", "x7", Labelled.json("x7"));
			victim.awaitReached(FaultPoint.IN_HANDLER);
			assertProblem(survivor.post("/payments", "x7"), 409, "in-progress");
			victim.kill();
			assertThat(first).failsWithin(Duration.ofMinutes(1));
		}
		awaitVictimDisconnected();
		assertThat(survivor.effects("x7")).isZero();
		assertOriginal(survivor.post("/payments", "x7"), 201);
		assertThat(survivor.effects("x7")).isEqualTo(1);
	}

	@Test
	@Tag("X9")
	void theAnswerOfANodeThatDiesBetweenTheCommitAndTheFirstByteIsReplayed() {
		try (FaultyNode victim = startVictim(FaultPoint.AFTER_COMMIT)) {
			CompletableFuture<HttpResponse<byte[]>> first = victim.post(ALICE, "/payments", "x9", Labelled.json("x9"));
			victim.awaitReached(FaultPoint.AFTER_COMMIT);
			victim.awaitHalted();
			assertThat(first).failsWithin(Duration.ofMinutes(1));
		}
		assertThat(survivor.effects("x9")).isEqualTo(1);
		HttpResponse<byte[]> retry = survivor.post("/payments", "x9");
		assertThat(retry.statusCode()).isEqualTo(201);
		assertThat(isReplay(retry)).isTrue();
		String id = survivor.jdbc().queryForObject("select id from effect where label = 'x9'", String.class);
		assertThat(text(retry)).isEqualTo("{\"id\":\"" + id + "\"}");
		assertThat(survivor.effects("x9")).isEqualTo(1);
	}

}
