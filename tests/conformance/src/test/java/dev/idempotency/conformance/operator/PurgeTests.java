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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.idempotency.conformance.app.Actuator;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.PhaseHook;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.engine.ResponseCache;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.maintenance.OperatorViews;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.store.OperatorStore;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The stored data of an account is deleted, also from the local cache, and nothing else.
 * Batches are of three records here.
 */
@Tag("Y7")
@ExtendWith(OutputCaptureExtension.class)
class PurgeTests {

	private static Provider provider;

	private static RunningApplication application;

	private static Actuator actuator;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = RunningApplication.start(List.of(Rides.class, Gates.class, SmallBatches.class),
				"provider=" + provider.address(), "idempotency.completer.enabled=false",
				"idempotency.cache.local.enabled=true", "idempotency.reaper.interval=1h",
				"management.endpoints.web.exposure.include=idempotency",
				"management.endpoint.idempotency.access=unrestricted");
		actuator = new Actuator(application);
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	@AfterEach
	void forget() {
		provider.failWith((key) -> Fault.NONE);
		application.jdbc().update("delete from idempotency_record");
		application.jdbc().update("delete from idempotency_lease where namespace <> ''");
	}

	private static HttpResponse<byte[]> ride(String user, String key) {
		return application.post(user, "/rides", key, Labelled.json(key));
	}

	private static HttpResponse<byte[]> purge(String account, String unfinished) {
		return actuator.send("idempotency/purge", Map.of("account", account, "unfinished", unfinished));
	}

	@Test
	void thePurgeOfAnAccountLeavesTheOthersAlone(CapturedOutput output) {
		for (int i = 0; i < 10; i++) {
			assertOriginal(ride(ALICE, "alice-" + i), 201);
			assertOriginal(ride(BOB, "bob-" + i), 201);
		}
		JsonNode result = actuator.post("idempotency/purge", Map.of("account", BOB));
		assertThat(result.path("answers").asInt()).isEqualTo(10);
		assertThat(result.path("refused").asBoolean(true)).isFalse();
		assertThat(application.records()).isEqualTo(10);
		// The records are in the local cache as well.
		for (int i = 0; i < 10; i++) {
			assertThat(isReplay(ride(ALICE, "alice-" + i))).isTrue();
		}
		assertThat(isReplay(ride(BOB, "bob-0"))).isFalse();
		assertThat(application.effects("bob-0")).isEqualTo(2);
		assertThat(output.getAll()).contains("An account was purged [10 answers")
			.containsPattern("\\[IDEM-1509] The purge of an account is at \\d+ %; about \\d+ s are left")
			.doesNotContain(BOB);
	}

	@Test
	void anAccountOfAnotherTenantIsAnother() {
		assertOriginal(ride(ALICE, "untenanted"), 201);
		JsonNode result = actuator.post("idempotency/purge", Map.of("account", ALICE, "tenant", "acme"));
		assertThat(result.path("answers").asInt()).isZero();
		assertThat(application.records()).isEqualTo(1);
	}

	@Test
	void anAccountWithUnfinishedRequestsIsRefused() {
		assertOriginal(ride(ALICE, "finished"), 201);
		provider.failWith((key) -> Fault.UNAVAILABLE);
		assertThat(ride(ALICE, "unfinished").statusCode()).isEqualTo(503);
		HttpResponse<byte[]> refused = actuator.send("idempotency/purge", Map.of("account", ALICE));
		assertThat(refused.statusCode()).isEqualTo(409);
		assertThat(Actuator.json(refused).path("refused").asBoolean(false)).isTrue();
		assertThat(Actuator.json(refused).path("remaining").asInt()).isEqualTo(1);
		assertThat(application.records()).isEqualTo(1);
		provider.failWith((key) -> Fault.NONE);
		assertOriginal(ride(ALICE, "unfinished"), 201);
		assertThat(application.effects("unfinished")).isEqualTo(1);
	}

	@Test
	void unfinishedRequestsWithoutEffectsAreDeletedIfThatIsAskedFor() {
		assertOriginal(ride(ALICE, "deleted"), 201);
		Gates gates = application.context().getBean(Gates.class);
		List<CompletableFuture<HttpResponse<byte[]>>> late = Stream.of(ALICE, BOB).map((user) -> {
			PhaseHook.once("before-ride", user + "-open", () -> gates.pass(user));
			CompletableFuture<HttpResponse<byte[]>> ride = Parallel.start(() -> ride(user, user + "-open"));
			gates.awaitReached(user);
			return ride;
		}).toList();
		application.jdbc().update("update idempotency_lease set lease_until = current_timestamp where namespace <> ''");
		HttpResponse<byte[]> purged = purge(ALICE, "delete");
		assertThat(purged.statusCode()).isEqualTo(200);
		assertThat(Actuator.json(purged).path("unfinished").asInt()).isEqualTo(1);
		assertThat(Actuator.json(purged).path("remaining").asInt(-1)).isZero();
		assertThat(application.records()).isZero();
		assertThat(unfinished()).isEqualTo(1);
		Stream.of(ALICE, BOB).forEach(gates::open);
		assertThat(late).extracting((ride) -> ride.join().statusCode()).containsExactly(409, 201);
		assertThat(application.effects(ALICE + "-open")).isZero();
	}

	private static int unfinished() {
		return application.jdbc().queryForList("select 1 from idempotency_lease where namespace <> ''").size();
	}

	@Test
	void anUnfinishedRequestWithEffectsStaysSoThatItsRetryDoesNotDoubleThem() {
		provider.failWith((key) -> Fault.UNAVAILABLE);
		assertThat(ride(ALICE, "charged-later").statusCode()).isEqualTo(503);
		HttpResponse<byte[]> purged = purge(ALICE, "delete");
		assertThat(Actuator.json(purged).path("unfinished").asInt(-1)).isZero();
		assertThat(Actuator.json(purged).path("remaining").asInt()).isEqualTo(1);
		provider.failWith((key) -> Fault.NONE);
		assertOriginal(ride(ALICE, "charged-later"), 201);
		assertThat(application.effects("charged-later")).isEqualTo(1);
		assertThat(Actuator.json(purge(ALICE, "delete")).path("answers").asInt()).isEqualTo(1);
	}

	@Test
	void aRequestThatIsRunningStaysAndIsTold() {
		Gates gates = application.context().getBean(Gates.class);
		PhaseHook.once("after-charge", "busy", () -> gates.pass("busy"));
		CompletableFuture<HttpResponse<byte[]>> ride = Parallel.start(() -> ride(ALICE, "busy"));
		gates.awaitReached("busy");
		HttpResponse<byte[]> purged = purge(ALICE, "delete");
		assertThat(Actuator.json(purged).path("unfinished").asInt(-1)).isZero();
		assertThat(Actuator.json(purged).path("remaining").asInt()).isEqualTo(1);
		gates.open("busy");
		assertOriginal(ride.join(), 201);
		assertThat(Actuator.json(purge(ALICE, "delete")).path("answers").asInt()).isEqualTo(1);
	}

	@Test
	void whatIsNotSaidWellIsRefused() {
		assertThat(purge(ALICE, "perhaps").statusCode()).isEqualTo(400);
		assertThat(actuator.send("idempotency/purge", Map.of()).statusCode()).isEqualTo(400);
	}

	@Configuration(proxyBeanMethods = false)
	static class SmallBatches {

		@Bean
		AccountPurge accountPurge(OperatorStore store, IdentityFactory identities, ResponseCache cache) {
			return OperatorViews.purge(store, identities, cache, 3);
		}

	}

}
