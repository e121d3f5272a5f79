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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.SharedApplications;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An isolation above READ COMMITTED as the default of the pool.
 */
@Tag("postgresql")
@Tag("X25")
class IsolationTests {

	/**
	 * More than one request meets here.
	 */
	private static final int CONFLICTS = 50;

	@RegisterExtension
	static final SharedApplications APPLICATIONS = new SharedApplications();

	private RunningApplication application;

	private void start(String isolation, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation);
		all.add("spring.web.error.include-message=always");
		this.application = APPLICATIONS.get(IsolatedPayments.class, all.toArray(String[]::new));
	}

	@ParameterizedTest
	@ValueSource(strings = { "REPEATABLE_READ", "SERIALIZABLE" })
	void requestsWithDifferentKeysAreAllExecuted(String isolation) {
		start(isolation);
		for (String path : List.of("/leased", "/leased-transactional", "/payments", "/phased")) {
			AtomicInteger number = new AtomicInteger();
			List<List<Integer>> answers = Parallel.run(8, () -> {
				List<Integer> statuses = new ArrayList<>();
				for (int i = 0; i < 15; i++) {
					statuses.add(postUntilDecided(isolation, path, path + number.incrementAndGet()));
				}
				return statuses;
			});
			assertThat(answers).as(path).allSatisfy((statuses) -> assertThat(statuses).containsOnly(201));
			// Counted afterwards: at SERIALIZABLE a count beside the requests may be
			// ended with 40001, too
			assertThat(IntStream.rangeClosed(1, number.get()).mapToObj((i) -> path + i)).as(path)
				.allSatisfy((key) -> assertThat(this.application.effects(key)).isEqualTo(1));
		}
		assertThat(this.application.jdbc().queryForList("select 1 from idempotency_lease where namespace <> ''"))
			.isEmpty();
	}

	/**
	 * At SERIALIZABLE PostgreSQL may end any transaction that meets another one with
	 * 40001, to be repeated: the answer to that is 503, or 500 where a statement of the
	 * handler was ended, and not stored.
	 */
	private int postUntilDecided(String isolation, String path, String key) {
		int status = this.application.post(path, key).statusCode();
		for (int i = 0; i < CONFLICTS && status >= 500 && isolation.equals("SERIALIZABLE"); i++) {
			status = this.application.post(path, key).statusCode();
		}
		return status;
	}

	@ParameterizedTest
	@ValueSource(strings = { "REPEATABLE_READ", "SERIALIZABLE" })
	void duplicatesOfOneRequestHaveOneEffectAndOneAnswer(String isolation) {
		start(isolation);
		for (String path : List.of("/payments", "/leased", "/leased-transactional", "/phased")) {
			for (int i = 0; i < 8; i++) {
				String key = path + i;
				List<HttpResponse<byte[]>> answers = Parallel.run(6, () -> this.application.post(path, key));
				assertThat(answers).as(key)
					.allSatisfy((answer) -> assertThat(answer.statusCode()).as(Exchanges.text(answer)).isIn(201, 409));
				assertThat(answers).as(key)
					.filteredOn((answer) -> answer.statusCode() == 201 && !Exchanges.isReplay(answer))
					.hasSize(1);
				assertThat(this.application.effects(key)).isEqualTo(1);
			}
		}
		assertThat(this.application.jdbc().queryForList("select 1 from idempotency_lease where namespace <> ''"))
			.isEmpty();
	}

	/**
	 * The answer to a failure is stored after the rollback, when another delivery may
	 * have failed as well.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "REPEATABLE_READ", "SERIALIZABLE" })
	void duplicatesThatFailAtTheSameTimeHaveOneAnswer(String isolation) {
		start(isolation);
		for (int i = 0; i < 30; i++) {
			String key = "refused-" + i;
			List<HttpResponse<byte[]>> answers = Parallel.run(6, () -> this.application.post("/refused", key));
			assertThat(answers).as(key)
				.allSatisfy((answer) -> assertThat(answer.statusCode()).as(Exchanges.text(answer)).isIn(404, 409));
			assertThat(answers).as(key)
				.filteredOn((answer) -> answer.statusCode() == 404 && !Exchanges.isReplay(answer))
				.hasSize(1);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "REPEATABLE_READ", "SERIALIZABLE" })
	void aTransactionThatOutlivesItsLeaseStoresItsAnswer(String isolation) {
		start(isolation, "idempotency.lease.duration=1s");
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel
			.start(() -> this.application.post("/gated", "outlives"));
		IsolatedPayments.GATES.awaitReached("outlives" + isolation);
		this.application.jdbc().execute("create table begun as select clock_timestamp() as at");
		await().until(() -> this.application.jdbc()
			.queryForObject("select at < clock_timestamp() - interval '2 seconds' from begun", Boolean.class));
		assertProblem(this.application.post("/gated", "outlives"), 409, "in-progress");
		IsolatedPayments.GATES.open("outlives" + isolation);
		assertOriginal(owner.join(), 201);
		assertReplay(this.application.post("/gated", "outlives"), owner.join());
		assertThat(this.application.effects("outlives")).isEqualTo(1);
	}

	/**
	 * Two requests that have read what the other one writes: the database ends the one
	 * that commits last.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/skewed", "/skewed-leased" })
	@Tag("X2")
	void aCommitThatEndsInAConflictIsToBeSentAgain(String path) {
		start("SERIALIZABLE");
		CompletableFuture<HttpResponse<byte[]>> first = Parallel.start(() -> this.application.post(path, path + 1));
		IsolatedPayments.GATES.awaitReached(path + 1);
		CompletableFuture<HttpResponse<byte[]>> second = Parallel.start(() -> this.application.post(path, path + 2));
		IsolatedPayments.GATES.awaitReached(path + 2);
		IsolatedPayments.GATES.open(path + 1);
		assertOriginal(first.join(), 201);
		IsolatedPayments.GATES.open(path + 2);
		assertProblem(second.join(), 503, "store-unavailable");
		assertThat(second.join().headers().firstValue("Retry-After")).hasValue("1");
		assertThat(this.application.effects(path + 2)).isZero();
		assertThat(this.application.records()).isEqualTo(1);
		HttpResponse<byte[]> again = this.application.post(path, path + 2);
		assertOriginal(again, 201);
		assertReplay(this.application.post(path, path + 2), again);
		assertReplay(this.application.post(path, path + 1), first.join());
		assertThat(this.application.effects(path + 2)).isEqualTo(1);
		assertThat(this.application.jdbc().queryForList("select 1 from idempotency_lease where namespace <> ''"))
			.isEmpty();
	}

	/**
	 * The same requests without the library.
	 */
	@Test
	void aConflictOfAnUnprotectedHandlerIsItsOwnError() {
		start("SERIALIZABLE");
		String path = "/skewed-plain";
		CompletableFuture<HttpResponse<byte[]>> first = Parallel.start(() -> this.application.post(path, path + 1));
		IsolatedPayments.GATES.awaitReached(path + 1);
		CompletableFuture<HttpResponse<byte[]>> second = Parallel.start(() -> this.application.post(path, path + 2));
		IsolatedPayments.GATES.awaitReached(path + 2);
		IsolatedPayments.GATES.open(path + 1);
		assertThat(first.join().statusCode()).isEqualTo(201);
		IsolatedPayments.GATES.open(path + 2);
		assertThat(second.join().statusCode()).isEqualTo(500);
		assertThat(this.application.effects(path + 2)).isZero();
	}

	/**
	 * The transaction of the handler holds the lease that the inner one would check.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "REPEATABLE_READ", "SERIALIZABLE" })
	void aTransactionWithinTheOneThatHoldsTheLeaseIsRefusedAtOnce(String isolation) {
		start(isolation);
		for (String path : List.of("/nested", "/nested-elsewhere")) {
			HttpResponse<byte[]> refused = this.application.post(path, path);
			assertOriginal(refused, 500);
			assertThat(Exchanges.text(refused)).contains("REQUIRES_NEW", "READ COMMITTED");
			assertThat(this.application.effects(path)).isZero();
		}
		assertThat(this.application.records()).isZero();
		assertThat(this.application.jdbc().queryForList("select 1 from idempotency_lease where namespace <> ''"))
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nested", "/nested-elsewhere" })
	void aTransactionWithinTheHandlersIsFencedAtReadCommitted(String path) {
		start("READ_COMMITTED");
		HttpResponse<byte[]> original = this.application.post(path, path);
		assertOriginal(original, 201);
		assertReplay(this.application.post(path, path), original);
		assertThat(this.application.effects(path)).isEqualTo(2);
	}

}
