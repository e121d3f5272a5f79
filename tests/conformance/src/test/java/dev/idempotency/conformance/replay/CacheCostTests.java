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
package dev.idempotency.conformance.replay;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.CostMeter;
import dev.idempotency.conformance.app.CostMeter.Cost;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.PostgresTap;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cost of an answer from the local cache for the database: none.
 */
@Tag("postgresql")
@Tag("COST")
class CacheCostTests {

	private static DedicatedServer server;

	private static PostgresTap tap;

	private static RunningApplication application;

	private static CostMeter meter;

	@BeforeAll
	static void start() {
		server = TestDatabase.startDedicatedServer(Map.of("autovacuum", "off"));
		TestDatabase database = server.createDatabase();
		tap = PostgresTap.open(database);
		application = CostMeter
			.withoutTestsOfConnections(() -> RunningApplication.start(tap.database(), List.of(Payments.class),
					"spring.datasource.hikari.maximum-pool-size=2", "spring.datasource.hikari.minimum-idle=2",
					"spring.datasource.hikari.keepalive-time=0", "idempotency.reaper.enabled=false",
					"idempotency.completer.enabled=false", "idempotency.cache.local.enabled=true"));
		String name = database.jdbcUrl().substring(database.jdbcUrl().lastIndexOf('/') + 1);
		meter = new CostMeter(tap, List.of(application.context().getBean(HikariDataSource.class)),
				server.createDatabase(), name);
	}

	@AfterAll
	static void stop() {
		application.close();
		tap.close();
		server.close();
	}

	private static HttpResponse<byte[]> post(String path, String key, String label) {
		return application.post(ALICE, path, key, Labelled.json(label));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional", "/leased" })
	@Tag("R1")
	void aReplayAfterTheFirstRequestOnThisNodeCostsNothing(String path) {
		HttpResponse<byte[]> first = post(path, path, "a");
		assertOriginal(first, 200);
		assertThat(meter.measure(() -> assertReplay(post(path, path, "a"), first))).isEqualTo(nothing());
	}

	@Test
	@Tag("F1")
	void aMismatchCostsNothing() {
		assertOriginal(post("/transactional", "mismatch", "a"), 200);
		assertThat(meter.measure(() -> assertProblem(post("/transactional", "mismatch", "b"), 422, "key-reused")))
			.isEqualTo(nothing());
	}

	private static Cost nothing() {
		return new Cost(List.of(), 0, 0, 0, 0);
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/transactional")
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, Object> payLeased(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

	}

}
