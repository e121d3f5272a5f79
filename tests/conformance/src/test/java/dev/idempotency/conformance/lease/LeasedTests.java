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

import java.io.EOFException;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * LEASED: a committed claim before the execution, a fence on everything after it.
 * <p>
 * No heartbeat comes while a test runs: one between the end of a lease, which a test
 * sets, and the request that takes over would renew it.
 */
class LeasedTests {

	private static final Gates GATES = new Gates();

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Handlers.class, "idempotency.lease.duration=10m");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leased", "/transactional", "/callable", "/future", "/deferred", "/task" })
	@Tag("O4")
	void aRetryGetsTheStoredAnswer(String path) {
		String label = "retry" + path;
		HttpResponse<byte[]> first = post(path, label, label);
		HttpResponse<byte[]> second = post(path, label, label);
		assertThat(first.statusCode()).isEqualTo(201);
		assertThat(new String(first.body())).isEqualTo("done " + label);
		assertThat(first.headers().firstValue("X-Handler")).contains("yes");
		assertThat(second.statusCode()).isEqualTo(201);
		assertThat(second.body()).isEqualTo(first.body());
		assertThat(second.headers().firstValue("X-Handler")).contains("yes");
		assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(application.effects(label)).isEqualTo(1);
		assertThat(application.leases()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leased", "/transactional", "/callable", "/future", "/deferred", "/task" })
	@Tag("O4")
	@Tag("F2")
	void aDuplicateInFlightIsRefusedAndAnotherRequestIsAMismatch(String path) throws Exception {
		String label = "flight" + path;
		CountDownLatch gate = GATES.close(label);
		CompletableFuture<HttpResponse<byte[]>> owner = CompletableFuture.supplyAsync(() -> post(path, label, label));
		GATES.awaitArrival(label);
		HttpResponse<byte[]> duplicate = post(path, label, label);
		assertThat(duplicate.statusCode()).isEqualTo(409);
		assertThat(new String(duplicate.body())).contains("in-progress");
		assertThat(duplicate.headers().firstValue("Retry-After")).contains("1");
		assertThat(post(path, label, label + "-changed").statusCode()).isEqualTo(422);
		gate.countDown();
		assertThat(owner.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(201);
		assertThat(post(path, label, label).headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(application.effects(label)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leased", "/transactional", "/callable", "/future", "/deferred", "/task" })
	@Tag("C8")
	@Tag("X10")
	void anOwnerWhoLostItsLeaseHasNoEffectAndNoSay(String path) throws Exception {
		String label = "lost" + path;
		CountDownLatch gate = GATES.close(label);
		CompletableFuture<HttpResponse<byte[]>> owner = CompletableFuture.supplyAsync(() -> post(path, label, label));
		GATES.awaitArrival(label);
		expireLeases();
		GATES.open(label);
		HttpResponse<byte[]> heir = post(path, label, label);
		assertThat(heir.statusCode()).isEqualTo(201);
		gate.countDown();
		HttpResponse<byte[]> late = owner.get(30, TimeUnit.SECONDS);
		if (path.equals("/deferred")) {
			// A thread that the application starts itself is not fenced; the answer is.
			assertThat(late.body()).isEqualTo(heir.body());
		}
		else {
			assertThat(late.statusCode()).isIn(201, 409);
			assertThat(application.effects(label)).isEqualTo(1);
		}
		assertThat(post(path, label, label).body()).isEqualTo(heir.body());
	}

	/**
	 * A statement outside of Spring's transactions is the handler's own, as a call of
	 * another system is. Its answer is fenced all the same.
	 */
	@Test
	@Tag("X23")
	void aWriteThatCommitsOutsideATransactionIsNotFencedButItsAnswerIs() throws Exception {
		String label = "auto-commit";
		CountDownLatch gate = GATES.close(label);
		CompletableFuture<HttpResponse<byte[]>> owner = CompletableFuture
			.supplyAsync(() -> post("/auto-commit", label, label));
		GATES.awaitArrival(label);
		expireLeases();
		GATES.open(label);
		HttpResponse<byte[]> heir = post("/auto-commit", label, label);
		assertThat(heir.statusCode()).isEqualTo(201);
		gate.countDown();
		HttpResponse<byte[]> late = owner.get(30, TimeUnit.SECONDS);
		assertThat(late.body()).isEqualTo(heir.body());
		assertThat(application.effects(label)).isEqualTo(2);
		assertThat(post("/auto-commit", label, label).body()).isEqualTo(heir.body());
	}

	@Test
	void aHandlerGetsTheConnectionsOfThePool() {
		assertThat(new String(post("/connection", "connection", "connection").body())).isEqualTo("true");
	}

	@Test
	@Tag("X1")
	void aFailureFreesTheKey() {
		assertThat(post("/failing?status=503", "fail-1", "fail-1").statusCode()).isEqualTo(503);
		assertThat(application.leases()).isZero();
		assertThat(post("/failing?status=503", "fail-1", "fail-1").headers().firstValue("Idempotent-Replayed"))
			.isEmpty();
	}

	@Test
	@Tag("X3")
	void aBusinessErrorIsStored() {
		HttpResponse<byte[]> first = post("/failing?status=402", "fail-2", "fail-2");
		HttpResponse<byte[]> second = post("/failing?status=402", "fail-2", "fail-2");
		assertThat(first.statusCode()).isEqualTo(402);
		assertThat(second.statusCode()).isEqualTo(402);
		assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(second.body()).isEqualTo(first.body());
	}

	@Test
	@Tag("X2")
	void aLostConnectionOfTheHandlerIsNotTakenForAGoneClient() {
		assertThat(post("/lost-connection", "lost", "lost").statusCode()).isEqualTo(500);
		assertThat(post("/lost-connection", "lost", "lost").statusCode()).isEqualTo(500);
		assertThat(application.leases()).isZero();
	}

	private HttpResponse<byte[]> post(String path, String key, String body) {
		String separator = path.contains("?") ? "&" : "?";
		return application.post(ALICE, path + separator + "label=" + key, key, "\"" + body + "\"");
	}

	private static void expireLeases() {
		application.jdbc().update("update idempotency_lease set lease_until = clock_timestamp() where namespace <> ''");
	}

	/**
	 * Holds handlers at a point until a test lets them go on.
	 */
	static final class Gates {

		private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

		private final Map<String, CountDownLatch> arrivals = new ConcurrentHashMap<>();

		CountDownLatch close(String label) {
			CountDownLatch gate = new CountDownLatch(1);
			this.arrivals.put(label, new CountDownLatch(1));
			this.gates.put(label, gate);
			return gate;
		}

		void open(String label) {
			this.gates.remove(label);
		}

		void awaitArrival(String label) throws InterruptedException {
			assertThat(this.arrivals.get(label).await(30, TimeUnit.SECONDS)).isTrue();
		}

		void pass(String label) {
			CountDownLatch gate = this.gates.get(label);
			if (gate != null) {
				this.arrivals.get(label).countDown();
				try {
					assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
		}

	}

	@RestController
	@Idempotent(mode = Mode.LEASED)
	static class Handlers {

		private final Effects effects;

		private final AsyncTaskExecutor executor;

		private final JdbcClient jdbc;

		private final DataSource dataSource;

		Handlers(Effects effects, AsyncTaskExecutor executor, JdbcClient jdbc, DataSource dataSource) {
			this.jdbc = jdbc;
			this.dataSource = dataSource;
			this.effects = effects;
			this.executor = executor;
		}

		@PostMapping("/leased")
		ResponseEntity<String> leased(@RequestParam String label) {
			return work(label);
		}

		@PostMapping("/auto-commit")
		ResponseEntity<String> autoCommit(@RequestParam String label) {
			GATES.pass(label);
			UUID id = UUID.randomUUID();
			this.jdbc.sql("insert into effect (id, label) values (?, ?)").params(id, label).update();
			return ResponseEntity.status(201).body("done " + id);
		}

		/**
		 * Compares the class of the connection of Spring with one of the pool.
		 */
		@PostMapping("/connection")
		boolean connection() throws SQLException {
			Connection springs = DataSourceUtils.getConnection(this.dataSource);
			try (Connection pooled = this.dataSource.getConnection()) {
				return springs.getClass() == pooled.getClass();
			}
			finally {
				DataSourceUtils.releaseConnection(springs, this.dataSource);
			}
		}

		@Transactional
		@PostMapping("/transactional")
		public ResponseEntity<String> transactional(@RequestParam String label) {
			return work(label);
		}

		@PostMapping("/callable")
		Callable<ResponseEntity<String>> callable(@RequestParam String label) {
			return () -> work(label);
		}

		@PostMapping("/task")
		WebAsyncTask<ResponseEntity<String>> task(@RequestParam String label) {
			return new WebAsyncTask<>(() -> work(label));
		}

		@PostMapping("/future")
		CompletableFuture<ResponseEntity<String>> future(@RequestParam String label) {
			return CompletableFuture.supplyAsync(() -> work(label), this.executor);
		}

		@PostMapping("/deferred")
		DeferredResult<ResponseEntity<String>> deferred(@RequestParam String label) {
			DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
			Thread thread = new Thread(() -> result.setResult(work(label)));
			thread.start();
			return result;
		}

		@PostMapping("/failing")
		ResponseEntity<String> failing(@RequestParam int status, @RequestParam String label) {
			this.effects.record(label);
			throw new ResponseStatusException(HttpStatus.valueOf(status));
		}

		@PostMapping("/lost-connection")
		ResponseEntity<String> lostConnection() {
			throw new CannotCreateTransactionException("No connection",
					new SQLException("An I/O error occurred", "08006", new EOFException()));
		}

		private ResponseEntity<String> work(String label) {
			GATES.pass(label);
			this.effects.record(label);
			return ResponseEntity.status(201).header("X-Handler", "yes").body("done " + label);
		}

	}

}
