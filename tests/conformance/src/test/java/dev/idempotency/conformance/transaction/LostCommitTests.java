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
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.assertRetryAfter;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The connection breaks at the commit: only the database knows what became of it.
 */
@Tag("postgresql")
class LostCommitTests {

	private static FaultyProxy proxy;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(Payments.class),
				"spring.datasource.hikari.connection-timeout=2000", "idempotency.reaper.enabled=false");
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
	@Tag("X12")
	void aCommitWhoseReplyIsLostIsFoundOutToHaveHappened() {
		proxy.failNextCommit(CommitFault.REPLY_LOST);
		HttpResponse<byte[]> first = application.post("/payments", "reply-lost");
		assertOriginal(first, 201);
		assertThat(application.effects("reply-lost")).isEqualTo(1);
		assertReplay(application.post("/payments", "reply-lost"), first);
		assertThat(application.effects("reply-lost")).isEqualTo(1);
	}

	@Test
	@Tag("X12")
	void aCommitThatNeverArrivedIsFoundOutNotToHaveHappened() {
		proxy.failNextCommit(CommitFault.REQUEST_LOST);
		assertOriginal(application.post("/payments", "request-lost"), 500);
		assertThat(application.effects("request-lost")).isZero();
		assertOriginal(application.post("/payments", "request-lost"), 201);
		assertThat(application.effects("request-lost")).isEqualTo(1);
	}

	@Test
	@Tag("X12")
	void whileTheOutcomeCannotBeFoundOutTheClientIsToldToComeBack() {
		proxy.failNextCommit(CommitFault.REPLY_LOST_AND_DOWN);
		HttpResponse<byte[]> unknown = application.post("/payments", "down");
		assertProblem(unknown, 503, "store-unavailable");
		assertRetryAfter(unknown);
		proxy.goUp();
		HttpResponse<byte[]> retry = await().until(() -> application.post("/payments", "down"),
				(response) -> response.statusCode() != 503);
		assertThat(retry.statusCode()).isEqualTo(201);
		assertThat(retry.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(application.effects("down")).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource(names = { "REQUEST_LOST", "REPLY_LOST" })
	@Tag("X12")
	void aConnectionThatBreaksWhenAFailureIsStoredHarmsNobody(CommitFault fault) {
		String key = "refused-" + fault;
		application.jdbc().queryForList("select 1");
		Payments.faultAfterRollback = () -> proxy.failNextCommit(fault);
		HttpResponse<byte[]> refused = application.post(ALICE, "/refused-payments", key, Labelled.json(key));
		// A retry may run again, so that no final answer may be sent.
		assertOriginal(refused, 503);
		assertRetryAfter(refused);
		Payments.faultAfterRollback = () -> {
		};
		HttpResponse<byte[]> retry = application.post(ALICE, "/refused-payments", key, Labelled.json(key));
		assertThat(retry.statusCode()).isEqualTo(402);
		assertThat(application.effects(key)).isZero();
	}

	@RestController
	static class Payments {

		private static volatile Runnable faultAfterRollback = () -> {
		};

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

		@Idempotent
		@PostMapping("/refused-payments")
		void refuse(@RequestBody Labelled payment) {
			this.effects.record(payment.label());
			faultAfterRollback.run();
			throw new Refused();
		}

	}

	@ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
	static class Refused extends RuntimeException {

	}

}
