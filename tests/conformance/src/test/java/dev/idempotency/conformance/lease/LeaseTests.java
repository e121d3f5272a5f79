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
package dev.idempotency.conformance.lease;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.task.TaskDecorator;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The duration of a claim, and its end.
 */
class LeaseTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(
				List.of(LeaseHandlers.Controller.class, LeaseHandlers.OwnDecorator.class),
				"idempotency.lease.duration=2s", "idempotency.reaper.enabled=false");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private static boolean isExpired(RunningApplication node) {
		return Boolean.TRUE.equals(node.jdbc()
			.queryForObject(
					"select count(*) = 0 from idempotency_lease where namespace <> '' and lease_until > clock_timestamp()",
					Boolean.class));
	}

	/**
	 * Another fence, and no time left: what the owner leaves behind when it dies.
	 */
	private static void killOwner() {
		application.jdbc()
			.update("update idempotency_lease set fence = fence + 1, "
					+ "lease_until = clock_timestamp() where namespace <> ''");
	}

	@Test
	@Tag("C8")
	void anOwnerThatHeartbeatsPastItsNominalLeaseKeepsItsClaim() {
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/gated", "c8"));
		LeaseHandlers.GATES.awaitReached("c8");
		application.jdbc()
			.execute(
					"create table first_lease as select lease_until as first_until from idempotency_lease where namespace <> ''");
		await().atMost(Duration.ofMinutes(1))
			.until(() -> application.jdbc()
				.queryForObject("select clock_timestamp() > first_until and lease_until > clock_timestamp() "
						+ "from idempotency_lease, first_lease where namespace <> ''", Boolean.class));
		assertProblem(application.post("/gated", "c8"), 409, "in-progress");
		LeaseHandlers.GATES.open("c8");
		HttpResponse<byte[]> first = owner.join();
		assertOriginal(first, 201);
		assertReplay(application.post("/gated", "c8"), first);
		assertThat(application.effects("c8")).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	@Tag("X8")
	void afterTheMaximumTheLeaseExpiresAndOnExpiryDecides(LeaseExpiry onExpiry) {
		String key = "expiry-" + onExpiry;
		try (RunningApplication node = RunningApplication.start(LeaseHandlers.Controller.class,
				"idempotency.lease.duration=1s", "idempotency.lease.max=1s",
				"idempotency.lease.on-expiry=" + onExpiry)) {
			CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> node.post("/gated-once", key));
			LeaseHandlers.GATES.awaitReached(key);
			await().atMost(Duration.ofMinutes(1)).until(() -> isExpired(node));
			HttpResponse<byte[]> heir = node.post("/gated-once", key);
			LeaseHandlers.GATES.open(key);
			if (onExpiry == LeaseExpiry.RERUN) {
				assertOriginal(heir, 201);
				assertProblem(owner.join(), 409, "in-progress");
				assertReplay(node.post("/gated-once", key), heir);
			}
			else {
				assertProblem(heir, 409, "in-progress");
				assertThat(node.effects(key)).as("before its owner went on").isLessThanOrEqualTo(1);
				assertOriginal(owner.join(), 201);
			}
			assertThat(node.effects(key)).isEqualTo(1);
		}
	}

	@Test
	@Tag("X8")
	void whatADeadOwnerHasCommittedIsNotDoneAgain() {
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel
			.start(() -> application.post("/effect-first", "effects"));
		LeaseHandlers.GATES.awaitReached("effects");
		killOwner();
		assertProblem(application.post("/effect-first", "effects"), 409, "in-progress");
		assertThat(application.effects("effects")).isEqualTo(1);
		LeaseHandlers.GATES.open("effects");
		assertProblem(owner.join(), 409, "in-progress");
		assertThat(application.effects("effects")).isEqualTo(1);
		application.jdbc().update("delete from idempotency_lease where namespace <> ''");
	}

	@Test
	@Tag("postgresql")
	@Tag("X11")
	void ofAHandlerWithATransactionOfItsOwnAFailingCommitLeavesNoLease() {
		application.jdbc().execute("create table seat (number int unique deferrable initially deferred)");
		assertOriginal(application.post("/same-seat-twice", "x11"), 500);
		assertThat(application.leases()).isZero();
		assertThat(application.effects("x11")).isZero();
		assertOriginal(application.post("/same-seat-twice", "x11"), 500);
	}

	@Test
	@Tag("X10")
	void anInnerTransactionOfAnOwnerThatLostItsLeaseIsRolledBackToo() {
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel
			.start(() -> application.post("/transactional", "inner"));
		LeaseHandlers.GATES.awaitReached("inner");
		killOwner();
		LeaseHandlers.GATES.open("inner");
		assertProblem(owner.join(), 409, "in-progress");
		assertThat(application.effects("inner")).isZero();
		application.jdbc().update("delete from idempotency_lease where namespace <> ''");
	}

	@Test
	@Tag("X10")
	void whatRunsOnTheApplicationsExecutorIsFenced() {
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel
			.start(() -> application.post("/on-executor", "executor"));
		LeaseHandlers.GATES.awaitReached("executor");
		killOwner();
		LeaseHandlers.GATES.open("executor");
		assertProblem(owner.join(), 409, "in-progress");
		assertThat(application.effects("executor")).isZero();
		application.jdbc().update("delete from idempotency_lease where namespace <> ''");
	}

	@Test
	@Tag("O7")
	void aTaskDecoratorOfTheApplicationKeepsItsPlace() {
		LeaseHandlers.OwnDecorator.DECORATED.set(0);
		assertOriginal(application.post("/fire-and-forget", "decorated"), 201);
		LeaseHandlers.GATES.open("decorated");
		await().until(() -> application.effects("decorated") == 1);
		assertThat(LeaseHandlers.OwnDecorator.DECORATED).hasValue(1);
		assertThat(application.context().getBean(TaskDecorator.class))
			.isSameAs(application.context().getBean("ownDecorator"));
	}

	@Test
	void whatAnAnsweredRequestHasLeftRunningMayCommit() {
		assertOriginal(application.post("/fire-and-forget", "forgotten"), 201);
		assertThat(application.leases()).isZero();
		LeaseHandlers.GATES.open("forgotten");
		await().until(() -> application.effects("forgotten") == 1);
	}

	@Test
	void aPoolWithoutAutoCommitKeepsTheClaim() {
		try (RunningApplication node = RunningApplication.start(LeaseHandlers.Controller.class,
				"spring.datasource.hikari.auto-commit=false")) {
			CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> node.post("/gated", "auto-commit"));
			LeaseHandlers.GATES.awaitReached("auto-commit");
			assertProblem(node.post("/gated", "auto-commit"), 409, "in-progress");
			LeaseHandlers.GATES.open("auto-commit");
			assertReplayOf(owner.join(), node.post("/gated", "auto-commit"));
			assertThat(node.effects("auto-commit")).isEqualTo(1);
		}
	}

	private static void assertReplayOf(HttpResponse<byte[]> original, HttpResponse<byte[]> replay) {
		assertOriginal(original, 201);
		assertReplay(replay, original);
	}

	@Test
	@Tag("C5")
	void waitingDuplicatesLeaveThePoolToOthers() {
		try (RunningApplication node = RunningApplication.start(LeaseHandlers.Controller.class,
				"spring.datasource.hikari.maximum-pool-size=2", "spring.datasource.hikari.connection-timeout=10000",
				"idempotency.in-flight.policy=wait", "idempotency.in-flight.wait=30s")) {
			List<CompletableFuture<HttpResponse<byte[]>>> deliveries = Stream
				.generate(() -> Parallel.start(() -> node.post("/gated", "pool")))
				.limit(20)
				.toList();
			LeaseHandlers.GATES.awaitReached("pool");
			for (int i = 0; i < 10; i++) {
				assertOriginal(node.post("/free", "unrelated-" + i), 201);
			}
			LeaseHandlers.GATES.open("pool");
			assertThat(deliveries.stream().map(CompletableFuture::join))
				.allSatisfy((response) -> assertThat(response.statusCode()).isEqualTo(201));
			assertThat(node.effects("pool")).isEqualTo(1);
		}
	}

}
