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
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A transactional handler under a lease, whose answer is written by the commit: until
 * then somebody else may take the lease over, and callbacks run.
 */
@Tag("postgresql")
class LeasedCommitTests {

	private static FaultyProxy proxy;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(Handlers.class),
				"spring.datasource.hikari.connection-timeout=2000", "idempotency.lease.duration=2s",
				"idempotency.completer.enabled=false", "idempotency.reaper.enabled=false");
	}

	@AfterEach
	void repair() {
		proxy.repair();
		application.awaitDatabase();
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
	}

	@Test
	@Tag("X10")
	void aLeaseThatIsLostJustBeforeTheCommitRollsItBack() {
		assertProblem(application.post("/lost-before-commit", "lost"), 409, "in-progress");
		assertThat(application.effects("lost")).isZero();
		HttpResponse<byte[]> heir = application.post("/lost-before-commit", "lost");
		assertOriginal(heir, 201);
		assertReplay(application.post("/lost-before-commit", "lost"), heir);
		assertThat(application.effects("lost")).isEqualTo(1);
	}

	@Test
	@Tag("X10")
	void aTransactionOfACallbackBeforeTheCommitIsFenced() {
		assertProblem(application.post("/lost-before-callback", "fenced"), 409, "in-progress");
		assertThat(application.effects("fenced")).isZero();
		HttpResponse<byte[]> heir = application.post("/lost-before-callback", "fenced");
		assertOriginal(heir, 201);
		assertReplay(application.post("/lost-before-callback", "fenced"), heir);
		assertThat(application.effects("fenced")).isEqualTo(2);
	}

	@Test
	@Tag("X11")
	void aCallbackThatVetoesTheCommitIsAFailureOfTheHandlerAndTheRetryRunsAtOnce() {
		assertThat(application.post("/veto", "veto").statusCode()).isEqualTo(500);
		assertThat(application.effects("veto")).isZero();
		assertThat(application.post("/veto", "veto").statusCode()).isEqualTo(500);
		assertThat(application.leases()).isZero();
	}

	@Test
	void aTransactionOfACallbackAfterTheCommitNeedsNoLease() {
		HttpResponse<byte[]> first = application.post("/after-commit", "after");
		assertOriginal(first, 201);
		assertReplay(application.post("/after-commit", "after"), first);
		assertThat(application.effects("after")).isEqualTo(2);
	}

	@Test
	@Tag("X12")
	void aCommitWhoseReplyIsLostIsFoundOutToHaveHappened() {
		proxy.failNextCommit(CommitFault.REPLY_LOST);
		HttpResponse<byte[]> first = application.post("/plain", "reply-lost");
		assertOriginal(first, 201);
		assertReplay(application.post("/plain", "reply-lost"), first);
		assertThat(application.effects("reply-lost")).isEqualTo(1);
	}

	@Test
	@Tag("X12")
	void aCommitThatNeverArrivedIsMadeByTheNextDeliveryAfterTheLease() {
		proxy.failNextCommit(CommitFault.REQUEST_LOST);
		assertProblem(application.post("/plain", "request-lost"), 503, "store-unavailable");
		assertThat(application.effects("request-lost")).isZero();
		HttpResponse<byte[]> heir = await().until(() -> application.post("/plain", "request-lost"),
				(response) -> response.statusCode() != 409);
		assertOriginal(heir, 201);
		assertReplay(application.post("/plain", "request-lost"), heir);
		assertThat(application.effects("request-lost")).isEqualTo(1);
	}

	@RestController
	@Idempotent(mode = Mode.LEASED)
	@Transactional
	@ResponseStatus(HttpStatus.CREATED)
	static class Handlers {

		private final Effects effects;

		private final JdbcTemplate jdbc;

		Handlers(Effects effects, JdbcTemplate jdbc) {
			this.effects = effects;
			this.jdbc = jdbc;
		}

		@PostMapping("/plain")
		public Map<String, Object> plain(@RequestBody Labelled body) {
			return record(body);
		}

		@PostMapping("/lost-before-commit")
		public Map<String, Object> lostBeforeCommit(@RequestBody Labelled body) {
			beforeCommit(this::loseFirstLease);
			return record(body);
		}

		@PostMapping("/lost-before-callback")
		public Map<String, Object> lostBeforeCallback(@RequestBody Labelled body) {
			beforeCommit(() -> {
				loseFirstLease();
				this.effects.recordInNewTransaction(body.label());
			});
			return record(body);
		}

		@PostMapping("/veto")
		public Map<String, Object> veto(@RequestBody Labelled body) {
			beforeCommit(() -> {
				throw new IllegalStateException("veto");
			});
			return record(body);
		}

		@PostMapping("/after-commit")
		public Map<String, Object> afterCommit(@RequestBody Labelled body) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Handlers.this.effects.recordInNewTransaction(body.label());
				}

			});
			return record(body);
		}

		private static void beforeCommit(Runnable callback) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					callback.run();
				}

			});
		}

		/**
		 * Another fence and no time left, as of an heir that has died in turn.
		 */
		private void loseFirstLease() {
			Parallel
				.start(() -> this.jdbc.update("update idempotency_lease set fence = fence + 1, "
						+ "lease_until = clock_timestamp(), attempts = 2 where attempts = 1 and namespace <> ''"))
				.join();
		}

		private Map<String, Object> record(Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

	}

}
