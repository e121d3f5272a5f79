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
package dev.idempotency.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.retry.RetryPolicy;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.account.Account;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.engine.Claim;
import dev.idempotency.engine.ClaimRequest;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.EngineSettings;
import dev.idempotency.engine.Execution;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.ResponseCache;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.Identity;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.SensitiveNames;
import dev.idempotency.web.endpoint.WebSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The states of an exchange, with the engine and the store in memory.
 */
class ExchangeTests {

	private static final IdempotentOperation OPERATION = new IdempotentOperation("payments", null, Scope.ACCOUNT, "",
			Duration.ofHours(1), Duration.ofHours(1), true, Mode.TRANSACTIONAL, Replay.FULL);

	private static final HandlerRequest REQUEST = new HandlerRequest(new MockHttpServletRequest(),
			HandlerRequest.Settings.of(
					new WebSettings("Idempotency-Key", HeaderSyntax.LENIENT, null, AnonymousAccess.REJECT, List.of(),
							List.of(), List.of(), List.of(), List.of(), "", List.of(), 1024, 1024, "", "",
							Duration.ZERO, Set.of("jsessionid")),
					new SensitiveNames(Set.of(), Set.of("jsessionid")), (request) -> -1),
			InvalidIdempotentException::new);

	private static final StoredResponse CREATED = new StoredResponse(201, List.of(), bytes("created"));

	private static final StoredResponse DECLINED = new StoredResponse(402, List.of(), bytes("declined"));

	private static final HeaderField EARLIER = new HeaderField("X-Earlier", "1", false);

	private final IdempotencyEngine engine = engine();

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static IdempotencyEngine engine() {
		InMemoryIdempotencyStore store = new InMemoryIdempotencyStore("test", InstantSource.system());
		NotificationPublisher notifications = NotificationPublisher.NOBODY;
		EngineSettings settings = new EngineSettings(Duration.ZERO, Isolation.DEFAULT, RetryPolicy.withMaxRetries(1),
				new EngineSettings.Lease(Duration.ofMinutes(1), Duration.ofMinutes(5), LeaseExpiry.RERUN, 3,
						LeaseLimits.NONE));
		return new IdempotencyEngine(store, new InMemoryTransactionManager(),
				new ContentCodec("app", EnvelopeCodec.plain(null)), ResponseCache.NONE, notifications,
				new LeaseKeeper(() -> store, settings.lease(), notifications),
				new RequestTransactions(InMemoryTransactionManager::new, (resource) -> {
				}), ObservationRegistry.NOOP, List::of, settings);
	}

	private Claim claim() {
		return this.engine.claim(new ClaimRequest(OPERATION, new Identity(new byte[32], new byte[16]),
				Fingerprint.of(new byte[32]), EffectCommits.ONCE, null, null));
	}

	private Exchange begin() throws NoSuchMethodException {
		Endpoint endpoint = new Endpoint(RequestMappingInfo.paths("/payments").build(),
				ExchangeTests.class.getDeclaredMethod("handler"), "payments", OPERATION, null, EffectCommits.ONCE,
				false, false);
		Exchange.ofSender(endpoint, Account.of("alice"), null, "key", null).bindTo(this.request);
		Exchange exchange = Exchange.boundTo(this.request);
		assertThat(exchange).isNotNull();
		return exchange;
	}

	void handler() {
	}

	private Exchange read() throws NoSuchMethodException {
		Exchange exchange = begin();
		exchange.enter();
		exchange.prepare(REQUEST, new MockHttpServletResponse());
		return exchange;
	}

	private Exchange run() throws NoSuchMethodException {
		Exchange exchange = read();
		exchange.claimed((Execution) claim());
		return exchange;
	}

	@AfterEach
	void noTransactionIsLeft() {
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
	}

	@Test
	void anInnerDispatchDoesNotEnterAgain() throws Exception {
		Exchange exchange = begin();
		assertThat(exchange.enter()).isTrue();
		assertThat(exchange.enter()).isFalse();
		exchange.prepare(REQUEST, new MockHttpServletResponse());
		assertThat(exchange.enter()).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> exchange.prepare(REQUEST, new MockHttpServletResponse()));
	}

	@Test
	void aRequestIsClaimedOnceAndAfterItWasRead() throws Throwable {
		Exchange exchange = begin();
		exchange.enter();
		assertThat(exchange.unclaimed()).isNull();
		exchange.prepare(REQUEST, new MockHttpServletResponse());
		assertThat(exchange.unclaimed()).isSameAs(REQUEST);
		assertThat(exchange.isReached()).isFalse();
		exchange.claimed((Execution) claim());
		assertThat(exchange.unclaimed()).isNull();
		assertThat(exchange.isReached()).isTrue();
		assertThat(exchange.finish(CREATED)).isEmpty();
	}

	@Test
	void aRequestWithoutAClaimRunsUnprotected() throws Exception {
		Exchange exchange = read();
		assertThat(exchange.mayAnswerLater()).isTrue();
		assertThat(exchange.transaction()).isNull();
		exchange.fail(new IOException());
		assertThat(exchange.hasFailed()).isFalse();
		exchange.awaitErrorPage(List.of());
		assertThat(exchange.isAwaitingErrorPage()).isFalse();
		assertThat(exchange.finish(CREATED)).isEmpty();
		assertThat(exchange.isReached()).isFalse();
	}

	@Test
	void aFinishedAnswerIsThatOfTheNextDelivery() throws Exception {
		Exchange exchange = run();
		assertThat(exchange.transaction()).isNotNull();
		assertThat(exchange.mayAnswerLater()).isFalse();
		exchange.finish(CREATED);
		assertThat(exchange.transaction()).isNull();
		assertThat(stored()).isEqualTo(CREATED.status());
	}

	@Test
	void whatComesAfterTheEndChangesNothing() throws Exception {
		Exchange exchange = run();
		exchange.finish(CREATED);
		exchange.fail(new IOException());
		exchange.reject();
		exchange.awaitErrorPage(List.of());
		exchange.storeFailure(DECLINED);
		exchange.endUnstored(500);
		assertThat(exchange.hasFailed()).isFalse();
		assertThat(exchange.isAwaitingErrorPage()).isFalse();
		assertThat(stored()).isEqualTo(CREATED.status());
	}

	@Test
	void anExceptionOfAnInnerDispatchDoesNotEndTheRun() throws Exception {
		Exchange exchange = run();
		exchange.endUnstored(500);
		exchange.storeFailure(DECLINED);
		assertThat(exchange.transaction()).isNotNull();
		exchange.finish(CREATED);
		assertThat(stored()).isEqualTo(CREATED.status());
	}

	@Test
	void aFailureRollsBackAndItsAnswerIsStored() throws Exception {
		Exchange exchange = run();
		IOException failure = new IOException();
		exchange.fail(failure);
		assertThat(exchange.hasFailed()).isTrue();
		assertThat(exchange.failure()).isSameAs(failure);
		assertThat(exchange.transaction()).isNull();
		exchange.storeFailure(DECLINED);
		assertThat(exchange.hasFailed()).isFalse();
		assertThat(stored()).isEqualTo(DECLINED.status());
	}

	@Test
	void aFailureWithoutAFinalAnswerLetsARetryRun() throws Exception {
		Exchange exchange = run();
		exchange.reject();
		assertThat(exchange.failure()).isNull();
		exchange.endUnstored(500);
		Claim retry = claim();
		assertThat(retry).isInstanceOf(Execution.class);
		((Execution) retry).release();
	}

	@Test
	void theAnswerOfAnErrorPageHasTheHeadersThatWereSetBefore() throws Exception {
		Exchange exchange = run();
		exchange.reject();
		exchange.awaitErrorPage(List.of(EARLIER));
		assertThat(exchange.isAwaitingErrorPage()).isTrue();
		assertThat(exchange.hasFailed()).isFalse();
		exchange.storeFailure(DECLINED);
		assertThat(exchange.isAwaitingErrorPage()).isFalse();
		assertThat(claim()).isInstanceOfSatisfying(Claim.Replayed.class,
				(replayed) -> assertThat(replayed.response().headers()).containsExactly(EARLIER));
	}

	@Test
	void aReplayIsNoRunAndIsNotClaimedAgain() throws Exception {
		run().finish(CREATED);
		Exchange exchange = read();
		exchange.leftProxy(exchange.replayed(CREATED));
		assertThat(exchange.isReached()).isFalse();
		assertThatExceptionOfType(Exchange.ReplaySignal.class).isThrownBy(exchange::unclaimed);
		assertThat(exchange.isOver()).isTrue();
	}

	/**
	 * The result of a suspending function arrives in a later dispatch, also where that is
	 * a replay.
	 */
	@Test
	void aReplayThatIsSuspendedIsResumed() throws Exception {
		run().finish(CREATED);
		Exchange exchange = read();
		exchange.leftProxy(exchange.replayed(CREATED));
		exchange.suspend(List.of(EARLIER));
		assertThat(exchange.resume()).contains(List.of(EARLIER));
		assertThat(exchange.isReached()).isFalse();
	}

	@Test
	void aSuspendedRequestIsResumedOnceWithItsHeaders() throws Exception {
		Exchange exchange = read();
		assertThat(exchange.resume()).isEmpty();
		exchange.suspend(List.of(EARLIER));
		assertThat(exchange.resume()).contains(List.of(EARLIER));
		assertThat(exchange.resume()).isEqualTo(Optional.empty());
	}

	@Test
	void aSuspendedRunStillFails() throws Exception {
		Exchange exchange = run();
		exchange.suspend(List.of());
		exchange.fail(new IOException());
		assertThat(exchange.hasFailed()).isTrue();
		assertThat(exchange.resume()).isEmpty();
		exchange.endUnstored(500);
	}

	@Test
	void theFirstRefusalCounts() throws Exception {
		Exchange exchange = run();
		InvalidIdempotentException first = new InvalidIdempotentException("first", "");
		exchange.fail(new IllegalStateException(first));
		assertThat(exchange.refuse("second", "")).isSameAs(first);
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(exchange::requireNotRefused)
			.isSameAs(first);
		exchange.endUnstored(500);
	}

	private int stored() {
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		return ((Claim.Replayed) claim()).response().status();
	}

}
