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
package dev.idempotency.maintenance;

import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.TestEngine;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.ClaimRequest.EffectCommits;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.AbandonedAnswer;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.UnfinishedStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Unfinished requests, as an operator sees and changes them.
 */
class OperatorRequestsTests {

	private static final AbandonedAnswer GONE = AbandonedAnswer.problem(410, "{}");

	private final TestEngine test = new TestEngine();

	private final UnfinishedStore unfinished = this.test.memory.unfinished("test");

	private final UnfinishedRequests requests = new OperatorRequests(this.unfinished, this.test.memory,
			new ContentCodec("app", EnvelopeCodec.plain(null)), List.of(), Duration.ofHours(1));

	private Lease lease;

	private String id;

	@BeforeEach
	void lease() {
		this.lease = this.test.lease(1);
		this.id = HexFormat.of().formatHex(this.lease.identity().digest());
	}

	private UnfinishedRequest request() {
		return this.requests.find(this.id).orElseThrow();
	}

	private void expire() {
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
	}

	private void becomeStuck() {
		expire();
		this.unfinished.markStuck(1, Duration.ZERO);
	}

	@Test
	void aRequestIsShownInItsState() {
		assertThat(request().state()).isEqualTo(State.RUNNING);
		assertThat(request().operation()).isEqualTo("pay");
		assertThat(request().attempts()).isEqualTo(1);
		assertThat(this.requests.stuck(10)).isEmpty();
		expire();
		assertThat(request().state()).isEqualTo(State.WAITING);
		becomeStuck();
		assertThat(request().state()).isEqualTo(State.STUCK);
		assertThat(this.requests.stuck(10)).extracting(UnfinishedRequest::id).containsExactly(this.id);
	}

	@Test
	void aListGoesOnBehindItsLastRequest() {
		this.test.lease(2);
		List<UnfinishedRequest> first = this.requests.open(1);
		assertThat(first).hasSize(1);
		List<UnfinishedRequest> rest = this.requests.open(10, first.get(0).position());
		assertThat(rest).hasSize(1).doesNotContainAnyElementsOf(first);
		assertThat(this.requests.open(10, rest.get(0).position())).isEmpty();
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> this.requests.open(0));
	}

	@Test
	void aRequestThatIsNotThereIsNotFound() {
		String unknown = "00".repeat(32);
		assertThat(this.requests.find(unknown)).isEmpty();
		assertThat(this.requests.export(unknown)).isEmpty();
		assertThat(this.requests.abandon(unknown, GONE)).isFalse();
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> this.requests.find("key"));
	}

	@Test
	void anAbandonedRequestHasTheGivenAnswer() {
		assertThat(this.requests.abandon(this.id, GONE)).as("while it is running").isFalse();
		becomeStuck();
		assertThat(this.requests.abandon(this.id, GONE)).isTrue();
		assertThat(this.test.claim(TestEngine.call(1, Mode.LEASED, EffectCommits.FREELY)))
			.isInstanceOfSatisfying(Claim.Replayed.class, (replayed) -> {
				assertThat(replayed.answer().status()).isEqualTo(410);
				assertThat(replayed.answer().headers()).singleElement()
					.satisfies((header) -> assertThat(header.value()).isEqualTo("application/problem+json"));
			});
		assertThat(this.requests.find(this.id)).isEmpty();
	}

	@Test
	void aRequestThatIsTriedAgainIsNotStuckAnyMore() {
		becomeStuck();
		assertThat(this.requests.retry(request())).isTrue();
		assertThat(request().state()).isEqualTo(State.WAITING);
	}

	@Test
	void nothingIsChangedThatTheOperatorHasNotSeen() {
		becomeStuck();
		UnfinishedRequest seen = request();
		this.requests.retry(seen);
		ClaimResult again = this.test.tryLease(1);
		assertThat(again).isInstanceOf(ClaimResult.Leased.class);
		expire();
		assertThat(this.requests.abandon(seen, GONE)).as("another owner had it meanwhile").isFalse();
		assertThat(this.requests.retry(seen)).isFalse();
		assertThat(this.requests.abandon(request(), GONE)).isTrue();
	}

	@Test
	void effectsThatWereCommittedMeanwhileAreSeenFirst() {
		UnfinishedRequest seen = request();
		assertThat(seen.effects()).isFalse();
		this.test.inTransaction(() -> this.test.memory.confirm(this.lease, Effect.ONCE));
		assertThat(request().effects()).isTrue();
		becomeStuck();
		assertThat(this.requests.abandon(seen, GONE)).isFalse();
		assertThat(this.requests.abandon(request(), GONE)).isTrue();
	}

	@Test
	void anExportHasTheStepsAndNoCommandThatWasNotStored() {
		expire();
		assertThat(this.requests.export(this.id)).hasValueSatisfying((exported) -> {
			assertThat(exported.request().id()).isEqualTo(this.id);
			assertThat(exported.command()).isNull();
			assertThat(exported.steps()).isEmpty();
		});
	}

}
