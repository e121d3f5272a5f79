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
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.engine.Claim;
import dev.idempotency.engine.ClaimRequest;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.TestEngine;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.AbandonedResponse;
import dev.idempotency.operator.UnfinishedRequests.ExportedRequest;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Unfinished requests, as an operator sees and changes them.
 */
class OperatorRequestsTests {

	private static final AbandonedResponse GONE = AbandonedResponse.problem(410, "{}");

	private static final Account ALICE = Account.of("alice");

	private static final byte[] FINGERPRINT = new byte[32];

	private static final ContentCodec CODEC = new ContentCodec("app", EnvelopeCodec.plain(null));

	private final TestEngine test = new TestEngine();

	private final UnfinishedStore unfinished = this.test.memory.unfinished("test");

	private final UnfinishedRequests requests = new OperatorRequests(this.unfinished, this.test.store, CODEC,
			List.of(new Requests()), Duration.ofHours(1));

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
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.requests.open(1, Instant.now() + "_key"))
			.withMessageContaining("not a position");
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
				assertThat(replayed.response().status()).isEqualTo(410);
				assertThat(replayed.response().headers()).singleElement()
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

	private Identity unfinished(byte[] command) {
		Identity identity = TestEngine.identity(7);
		this.test.memory.lease(
				new LeaseRequest(identity, "pay", FINGERPRINT, command, TestEngine.LEASE, true, 3, LeaseLimits.NONE));
		return identity;
	}

	private ExportedRequest export(Command command) {
		Identity identity = unfinished(command.encode(TestEngine.identity(7), FINGERPRINT, CODEC));
		return this.requests.export(HexFormat.of().formatHex(identity.digest())).orElseThrow();
	}

	@Test
	void anExportHasTheCommandAsItsRunnerDescribesIt() {
		assertThat(export(new Command(Sender.of(ALICE), "http", new byte[] { 1 })).command())
			.isEqualTo(new ExportedRequest.Command(ALICE, "http", Map.of("bytes", 1)));
	}

	@Test
	void anExportOfACommandThatNobodyHereCanDescribeHasItsKind() {
		assertThat(export(new Command(Sender.of(ALICE), "batch", new byte[0])).command())
			.isEqualTo(new ExportedRequest.Command(ALICE, "batch", Map.of()));
	}

	@Test
	void anExportOfACommandThatIsNotStoredHasTheReason() {
		ExportedRequest.Command command = export(Command.notStored(Sender.of(ALICE), "It has parts.")).command();
		assertThat(command).isNotNull();
		assertThat(command.account()).isEqualTo(ALICE);
		assertThat(command.content()).isEqualTo(Map.of("notStored", "It has parts."));
	}

	@Test
	void anExportHasTheResultsOfItsSteps() {
		ClaimRequest call = TestEngine.call(7, Mode.LEASED, EffectCommits.IN_PHASES);
		this.test.execute(call);
		this.test.phases().atomic("reserved", String.class, () -> "seat 4");
		ExportedRequest exported = this.requests.export(HexFormat.of().formatHex(call.identity().digest()))
			.orElseThrow();
		assertThat(exported.request().recoveryPoint()).isEqualTo("reserved");
		assertThat(exported.steps()).containsExactly(Map.entry("reserved", "\"seat 4\""));
	}

	@Test
	void anAnswerThatComesTooLateIsNotStored() {
		expire();
		this.test.beforeNext("finish", () -> this.test.takeOver(this.lease));
		assertThat(this.requests.abandon(this.id, GONE)).isFalse();
		assertThat(request().state()).isEqualTo(State.RUNNING);
	}

	/**
	 * Describes the requests of controllers.
	 */
	private static final class Requests implements CommandRunner {

		@Override
		public String kind() {
			return "http";
		}

		@Override
		public void run(Command command, Recovery recovery) {
			throw new AssertionError("Operators run nothing");
		}

		@Override
		public Map<String, Object> describe(Command command) {
			return Map.of("bytes", command.content().length);
		}

	}

}
