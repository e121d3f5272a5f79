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
package dev.idempotency.engine;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.phase.Phases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * One observation for each call, from its claim to its end.
 */
@Tag("O1")
class ObservedRequestTests {

	private final TestEngine test = new TestEngine();

	private final ClaimRequest call = TestEngine.call(1, Mode.TRANSACTIONAL, EffectCommits.ONCE);

	@BeforeEach
	void observe() {
		this.test.observations.begin();
	}

	@AfterEach
	void close() {
		this.test.close();
	}

	private void assertObserved(String... observations) {
		assertThat(this.test.observations.all()).containsExactly(observations);
	}

	@Test
	void anExecutionIsOneObservationFromItsClaimToItsCommit() {
		this.test.execute(this.call).finish(TestEngine.answer("paid"));
		assertObserved("request [claimed, storing] COMPLETED");
	}

	@Test
	void aLeasedExecutionIsOneObservation() {
		this.test.execute(TestEngine.call(1, Mode.LEASED, EffectCommits.FREELY)).finish(TestEngine.answer("paid"));
		assertObserved("request [claimed, storing] COMPLETED");
	}

	@Test
	void aReplayEndsWithItsClaim() {
		this.test.execute(this.call).finish(TestEngine.answer("paid"));
		this.test.claim(this.call);
		assertObserved("request [claimed, storing] COMPLETED", "request [] REPLAYED");
	}

	@Test
	void aRefusalIsNoError() {
		this.test.execute(this.call).finish(TestEngine.answer("paid"));
		byte[] other = { 1 };
		assertThatExceptionOfType(KeyReusedException.class).isThrownBy(
				() -> this.test.claim(TestEngine.call(1, Mode.TRANSACTIONAL, EffectCommits.ONCE, Replay.FULL, other)));
		assertObserved("request [claimed, storing] COMPLETED", "request [] KEY_REUSED");
	}

	@Test
	void aStoreThatFailsTheClaimIsAnError() {
		this.test.failNext("acquire", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> this.test.claim(this.call));
		assertObserved("request [] STORE_UNAVAILABLE !");
	}

	@Test
	void aFailureWithAFinalResponseIsACompletedError() {
		Execution execution = this.test.execute(this.call);
		execution.failed(new IllegalStateException("declined"));
		execution.recordFailure(TestEngine.answer("declined"));
		assertObserved("request [claimed, storing] COMPLETED !");
	}

	@Test
	void aFailureWithoutAFinalResponseIsTheOutcome() {
		Execution execution = this.test.execute(this.call);
		execution.failed(new IllegalStateException("down"));
		execution.endUnanswered();
		assertObserved("request [claimed] FAILED !");
	}

	@Test
	void aResponseThatIsNotFinalIsReleased() {
		Execution execution = this.test.execute(this.call);
		execution.release();
		execution.endUnanswered();
		assertObserved("request [claimed] RELEASED");
	}

	@Test
	void aCommitThatFailsIsTheOutcome() {
		Execution execution = this.test.execute(this.call);
		this.test.transactions.failNextCommit(TestEngine.failure("23505"));
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> execution.finish(TestEngine.answer("paid")))
			.satisfies(execution::failed);
		execution.recordFailure(TestEngine.answer("conflict"));
		assertObserved("request [claimed, storing] FAILED !");
	}

	@Test
	void theAnswerToAFailureThatCannotBeStoredIsTheOutcome() {
		Execution execution = this.test.execute(this.call);
		execution.failed(new IllegalStateException("declined"));
		this.test.failNext("finishAfterRollback", TestEngine.lost());
		assertThatExceptionOfType(StoreUnavailableException.class)
			.isThrownBy(() -> execution.recordFailure(TestEngine.answer("declined")));
		execution.endUnanswered();
		assertObserved("request [claimed, storing] STORE_UNAVAILABLE !");
	}

	@Test
	void anExecutionThatAnotherOneHasOvertakenIsAReplay() {
		ClaimRequest leased = TestEngine.call(1, Mode.LEASED, EffectCommits.FREELY);
		Execution execution = this.test.execute(leased);
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		this.test.execute(leased).finish(TestEngine.answer("theirs"));
		assertThat(execution.finish(TestEngine.answer("ours"))).isPresent();
		assertObserved("request [claimed, storing] COMPLETED", "request [claimed, storing] REPLAYED");
	}

	@Test
	void phasesAreObservedWithinTheirRequestAndAConflictIsItsEvent() {
		Execution execution = this.test.execute(TestEngine.call(1, Mode.LEASED, EffectCommits.IN_PHASES));
		Phases phases = this.test.phases();
		phases.atomic("reserve", () -> {
		});
		phases.<String>finish(() -> "last");
		this.test.transactions.failNextCommit(TestEngine.conflict());
		assertThatExceptionOfType(FinishConflictException.class)
			.isThrownBy(() -> execution.finish(TestEngine.answer("first")));
		phases.atomic("reserve", () -> {
		});
		phases.<String>finish(() -> "last");
		execution.finish(TestEngine.answer("second"));
		assertObserved("reserve [] COMPLETED", "finish [] COMPLETED", "finish [] COMPLETED",
				"request [claimed, storing, conflict, storing] COMPLETED");
	}

	@Test
	void theStatementsOfClaimAndRecordAndTheWorkArePartOfIt() {
		List<Boolean> observed = new ArrayList<>();
		Runnable check = () -> observed.add(this.test.observations.registry.getCurrentObservation() != null);
		this.test.beforeNext("acquire", check);
		this.test.beforeNext("finishWithCommit", check);
		Execution execution = this.test.execute(this.call);
		try (Scope scope = execution.openScope()) {
			check.run();
		}
		execution.finish(TestEngine.answer("paid"));
		check.run();
		assertThat(observed).containsExactly(true, true, true, false);
	}

}
