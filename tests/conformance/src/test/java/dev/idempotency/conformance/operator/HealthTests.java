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
package dev.idempotency.conformance.operator;

import java.net.http.HttpResponse;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import dev.idempotency.conformance.app.Actuator;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.testsupport.FaultyProxy;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The health of the store, the reaper and requests that are open for too long.
 */
@Tag("postgresql")
@Tag("O1")
class HealthTests {

	private static Provider provider;

	private static FaultyProxy proxy;

	private static RunningApplication application;

	private static Actuator actuator;

	@BeforeAll
	static void start() {
		provider = new Provider();
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(Rides.class), "provider=" + provider.address(),
				"idempotency.completer.enabled=false", "idempotency.store.timeout=500ms",
				"spring.datasource.hikari.connection-timeout=1000", "spring.datasource.hikari.validation-timeout=500",
				"management.health.db.enabled=false", "management.endpoint.health.probes.enabled=true",
				"management.endpoint.health.show-components=always", "management.endpoint.health.show-details=always");
		actuator = new Actuator(application);
	}

	@AfterEach
	void repair() {
		proxy.resume();
		proxy.goUp();
		application.awaitDatabase();
		application.jdbc().update("delete from idempotency_lease where namespace <> ''");
		application.context().getBean(IdempotencyReaper.class).start();
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
		provider.close();
	}

	private static String status(String path) {
		return Actuator.text(Actuator.json(actuator.send(path)), "status");
	}

	@Test
	void allIsWell() {
		JsonNode health = actuator.get("health/idempotency");
		assertThat(Actuator.text(health, "status")).isEqualTo("UP");
		assertThat(health.path("details").path("stuck").asInt(-1)).isZero();
		assertThat(health.path("details").path("reaper").path("alive").asBoolean(false)).isTrue();
		assertThat(health.path("details").has("reasons")).isFalse();
	}

	@Test
	void aStoreThatIsGoneIsDownAndFoundAgain() {
		proxy.goDown();
		HttpResponse<byte[]> down = actuator.send("health/idempotency");
		assertThat(down.statusCode()).isEqualTo(503);
		assertThat(Actuator.text(Actuator.json(down), "status")).isEqualTo("DOWN");
		assertThat(status("health")).isEqualTo("DOWN");
		proxy.goUp();
		await().until(() -> status("health/idempotency").equals("UP"));
	}

	@Test
	void aStoreThatDoesNotAnswerIsDown() {
		assertThat(status("health/idempotency")).isEqualTo("UP");
		proxy.stall();
		assertThat(status("health/idempotency")).isEqualTo("DOWN");
	}

	@Test
	void theStoreIsNoMatterOfLivenessOrReadiness() {
		proxy.goDown();
		assertThat(actuator.get("health/liveness").toString()).contains("\"UP\"").doesNotContain("idempotency");
		assertThat(actuator.get("health/readiness").toString()).contains("\"UP\"").doesNotContain("idempotency");
	}

	@Test
	void aReaperThatHasStoppedDegradesTheHealthAndTakesNoNodeOutOfService() {
		application.context().getBean(IdempotencyReaper.class).stop();
		JsonNode health = actuator.get("health/idempotency");
		assertThat(Actuator.text(health, "status")).isEqualTo("DEGRADED");
		assertThat(health.path("details").path("reasons").toString()).contains("reaper");
		assertThat(status("health")).isEqualTo("UP");
	}

	@Test
	void aRequestThatIsOpenForTooLongDegradesTheHealthAndTakesNoNodeOutOfService() {
		provider.failWith((key) -> Fault.UNAVAILABLE);
		assertThat(application.post(ALICE, "/rides", "old", Labelled.json("old")).statusCode()).isEqualTo(503);
		assertThat(status("health/idempotency")).isEqualTo("UP");
		application.jdbc()
			.update("update idempotency_lease set created_at = created_at - interval '15 minutes' where namespace <> ''");
		JsonNode health = actuator.get("health/idempotency");
		assertThat(Actuator.text(health, "status")).isEqualTo("DEGRADED");
		JsonNode details = health.path("details");
		assertThat(details.path("reasons").toString()).contains("900 s").doesNotContain("reaper");
		assertThat(details.path("waiting").asInt()).isEqualTo(1);
		assertThat(details.path("oldestOpen").path("ageSeconds").asInt()).isGreaterThanOrEqualTo(900);
		assertThat(Actuator.text(details.path("oldestOpen"), "operation")).isEqualTo("POST /rides");
		assertThat(status("health")).isEqualTo("UP");
	}

	@Test
	void anApplicationCanMakeItCount() {
		try (RunningApplication strict = RunningApplication.start(proxy.database(), List.of(Rides.class),
				"idempotency.reaper.enabled=false", "idempotency.health.max-open-age=1ms",
				"idempotency.completer.enabled=false",
				"management.endpoint.health.status.order=down,degraded,out-of-service,up,unknown",
				"management.endpoint.health.status.http-mapping.degraded=500",
				"management.endpoint.health.status.http-mapping.down=503")) {
			assertThat(strict.post(ALICE, "/rides", "counts", Labelled.json("counts")).statusCode()).isEqualTo(503);
			await().untilAsserted(() -> {
				HttpResponse<byte[]> health = new Actuator(strict).send("health");
				assertThat(health.statusCode()).isEqualTo(500);
				assertThat(Actuator.text(Actuator.json(health), "status")).isEqualTo("DEGRADED");
			});
		}
	}

	@Test
	void itIsSwitchedOffByBootsProperty() {
		try (RunningApplication off = RunningApplication.start(proxy.database(), List.of(Rides.class),
				"management.health.idempotency.enabled=false")) {
			assertThat(new Actuator(off).send("health/idempotency").statusCode()).isEqualTo(404);
			assertThat(Actuator.text(new Actuator(off).get("health"), "status")).isEqualTo("UP");
		}
	}

}
