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

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.IllegalTransactionStateException;

import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.Interrupted;
import dev.idempotency.IdempotencyNotification.UnknownStep;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.UnknownStepException;
import dev.idempotency.job.JobType;
import dev.idempotency.phase.Phases;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A request in phases, over the store in memory.
 */
@ExtendWith(OutputCaptureExtension.class)
class PhasedExecutionTests {

	private final TestEngine test = new TestEngine();

	private final Phases phases = this.test.phases();

	private final ClaimRequest call = TestEngine.call(1, Mode.LEASED, EffectCommits.IN_PHASES);

	private final List<String> done = new ArrayList<>();

	@AfterEach
	void close() {
		this.test.close();
	}

	private String step(String name) {
		return this.phases.atomic(name, String.class, () -> {
			this.done.add(name);
			return "result of " + name;
		});
	}

	private static void interrupt(Execution execution, Throwable failure) {
		execution.failed(failure);
		execution.endUnanswered();
	}

	private void assertFinishes(Execution execution) {
		execution.finish(TestEngine.answer("ridden"));
		assertThat(this.test.claim(this.call)).isInstanceOf(Claim.Replayed.class);
		assertThat(this.test.notifications).anyMatch(Executed.class::isInstance);
	}

	@Test
	void stepsThatAreDoneAreNotDoneAgainByTheNextRun() {
		Execution first = this.test.execute(this.call);
		step("reserve");
		interrupt(first, new IllegalStateException("The second step fails"));
		assertThat(this.test.notifications).anyMatch(Interrupted.class::isInstance);
		Execution second = this.test.execute(this.call);
		assertThat(step("reserve")).isEqualTo("result of reserve");
		step("charge");
		assertThat(this.done).containsExactly("reserve", "charge");
		assertFinishes(second);
	}

	@Test
	void aRequestThatFailsBeforeItsFirstStepIsFree() {
		Execution execution = this.test.execute(this.call);
		interrupt(execution, new IllegalArgumentException("invalid"));
		assertThat(this.test.memory.probe(this.call.identity())).isInstanceOf(ClaimResult.Acquired.class);
	}

	@Test
	void aStepThatConflictsIsTriedAgain() {
		Execution execution = this.test.execute(this.call);
		this.test.transactions.failNextCommit(TestEngine.conflict());
		step("reserve");
		assertThat(this.done).containsExactly("reserve", "reserve");
		assertFinishes(execution);
	}

	@Test
	void aStepThatKeepsConflictingInterruptsTheRequest() {
		Execution execution = this.test.execute(this.call);
		for (int i = 0; i < 3; i++) {
			this.test.transactions.failNextCommit(TestEngine.conflict());
		}
		assertThatExceptionOfType(RequestInterruptedException.class).isThrownBy(() -> step("reserve"));
		interrupt(execution, new IllegalStateException());
		assertThat(this.done).hasSize(3);
	}

	@Test
	void aLostCommitThatTheDatabaseHasRolledBackIsDoneAgainByTheNextRun() {
		Execution first = this.test.execute(this.call);
		RuntimeException lost = TestEngine.lost();
		this.test.transactions.failNextCommit(lost);
		assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> step("reserve"));
		interrupt(first, lost);
		Execution second = this.test.execute(this.call);
		step("reserve");
		assertThat(this.done).containsExactly("reserve", "reserve");
		assertFinishes(second);
	}

	@Test
	void aLostCommitThatTheDatabaseHasMadeIsDone() {
		Execution execution = this.test.execute(this.call);
		Lease lease = new Lease(this.call.identity(), 1);
		byte[] steps = { 1 };
		this.test.transactions.failNextCommit(TestEngine.lost());
		this.test.beforeNext("progress",
				() -> this.test.memory.advance(lease, null, "reserve", steps, TestEngine.LEASE));
		assertThat(step("reserve")).isEqualTo("result of reserve");
		assertThat(step("reserve")).as("known").isEqualTo("result of reserve");
		assertThat(this.done).containsExactly("reserve");
		assertFinishes(execution);
	}

	@Test
	void aStepOfARunWhoseLeaseIsLostIsRolledBack() {
		this.test.execute(this.call);
		this.test.takeOver(new Lease(this.call.identity(), 1));
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> step("reserve"));
		assertThat(this.done).as("held before it runs").isEmpty();
	}

	@Test
	void aStepOfAnotherProgramIsRefused() {
		Execution first = this.test.execute(this.call);
		step("reserve");
		interrupt(first, new IllegalStateException());
		this.test.execute(this.call);
		assertThatExceptionOfType(UnknownStepException.class).isThrownBy(() -> step("renamed"))
			.satisfies((refused) -> assertThat(refused.getSteps()).containsExactly("reserve"));
		assertThat(this.test.notifications).anyMatch(UnknownStep.class::isInstance);
	}

	@Test
	void phasesDoNotNest() {
		this.test.execute(this.call);
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> this.phases.atomic("outer", () -> step("inner")))
			.withMessageContaining("inner");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.phases.foreign("outer", String.class, (key) -> step("inner")))
			.withMessageContaining("phases do not nest");
	}

	@Test
	void theResultOfAForeignStepIsStoredWhenItsStoreHasFailedOnce() {
		Execution execution = this.test.execute(this.call);
		this.test.failNext("advance", TestEngine.lost());
		AtomicInteger calls = new AtomicInteger();
		for (int i = 0; i < 2; i++) {
			assertThat(this.phases.foreign("charge", Integer.class, (key) -> calls.incrementAndGet())).isEqualTo(1);
		}
		assertFinishes(execution);
	}

	@Test
	void anExternalCallThatWasBegunIsAskedAboutFirst() {
		Execution first = this.test.execute(this.call);
		List<String> keys = new ArrayList<>();
		assertThatExceptionOfType(RequestInterruptedException.class)
			.isThrownBy(() -> this.phases.foreign("charge", String.class, (key) -> {
				keys.add(key);
				throw new IOException("no reply");
			}, (key) -> {
				throw new AssertionError("not begun before");
			}));
		interrupt(first, new IllegalStateException("no reply"));
		this.test.execute(this.call);
		String charged = this.phases.foreign("charge", String.class, (key) -> "twice", (key) -> {
			keys.add(key);
			return Optional.of("once");
		});
		assertThat(charged).isEqualTo("once");
		assertThat(keys).hasSize(2).containsOnly(keys.get(0));
	}

	@Test
	void theLastPhaseCommitsWithTheAnswer() {
		Execution execution = this.test.execute(this.call);
		assertThat(this.phases.<String>finish(() -> "last")).isEqualTo("last");
		assertThat(execution.transaction()).isNotNull();
		assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(() -> step("late"));
		assertFinishes(execution);
	}

	@Test
	void aLastPhaseThatConflictsLetsTheHandlerRunOnceMore(CapturedOutput output) {
		Execution execution = this.test.execute(this.call);
		step("reserve");
		this.phases.<String>finish(() -> "last");
		this.test.transactions.failNextCommit(TestEngine.conflict());
		assertThatExceptionOfType(FinishConflictException.class)
			.isThrownBy(() -> execution.finish(TestEngine.answer("first")));
		step("reserve");
		this.phases.<String>finish(() -> "last");
		assertThat(this.done).containsExactly("reserve");
		assertThat(output).doesNotContain("is reached again");
		assertFinishes(execution);
	}

	@Test
	void aPhaseWithoutARequestIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> step("alone"))
			.withMessageContaining("belongs to no request");
	}

	@Test
	void aStepThatIsReachedTwiceIsReported(CapturedOutput output) {
		this.test.execute(this.call);
		step("reserve");
		step("charge");
		assertThat(output).doesNotContain("is reached again");
		step("reserve");
		assertThat(output).contains("The step 'reserve' is reached again");
	}

	@Test
	void aStepMayBeReachedAgainAfterAFailure(CapturedOutput output) {
		this.test.execute(this.call);
		step("reserve");
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> this.phases.atomic("charge", () -> {
			throw new IllegalArgumentException("declined");
		}));
		step("reserve");
		assertThat(output).doesNotContain("is reached again");
	}

	@Test
	void noOtherStepFollowsAnExternalCallWhoseOutcomeIsUnknown() {
		this.test.execute(this.call);
		assertThatExceptionOfType(RequestInterruptedException.class).isThrownBy(() -> charge(new IOException("lost")));
		assertThatExceptionOfType(RequestInterruptedException.class).isThrownBy(() -> step("book"))
			.havingCause()
			.withMessageContaining("[charge]");
		assertThatExceptionOfType(RequestInterruptedException.class)
			.isThrownBy(() -> this.phases.<String>finish(() -> "last"));
		assertThat(this.phases.foreign("charge", String.class, (key) -> "charged")).isEqualTo("charged");
		step("book");
		assertThat(this.done).containsExactly("book");
	}

	@Test
	void otherStepsFollowAnExternalCallThatWasRejected() {
		Execution execution = this.test.execute(this.call);
		assertThatIllegalArgumentException().isThrownBy(() -> charge(new IllegalArgumentException("declined")));
		step("apologise");
		assertThat(this.done).containsExactly("apologise");
		assertFinishes(execution);
	}

	@Test
	void aThreadThatIsInterruptedInAnExternalCallStaysInterrupted() {
		this.test.execute(this.call);
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> charge(new InterruptedException("shutdown")));
		assertThat(Thread.interrupted()).isTrue();
		assertThatIllegalArgumentException().isThrownBy(() -> charge(new IllegalArgumentException("declined")));
		assertThat(Thread.interrupted()).isFalse();
	}

	private void charge(Exception failure) {
		this.phases.foreign("charge", String.class, (key) -> {
			throw failure;
		});
	}

	@Test
	void aProbeThatFailsInterruptsTheRequest() {
		Execution first = this.test.execute(this.call);
		AtomicInteger charges = new AtomicInteger();
		assertThatExceptionOfType(RequestInterruptedException.class)
			.isThrownBy(() -> this.phases.foreign("charge", Integer.class, (key) -> {
				charges.incrementAndGet();
				throw new IOException("no reply");
			}, (key) -> Optional.empty()));
		interrupt(first, new IllegalStateException("no reply"));
		this.test.execute(this.call);
		assertThatExceptionOfType(RequestInterruptedException.class).isThrownBy(
				() -> this.phases.foreign("charge", Integer.class, (key) -> charges.incrementAndGet(), (key) -> {
					throw new IllegalStateException("not available");
				}));
		assertThat(charges).hasValue(1);
	}

	@Test
	void jobsAreStagedWhereTheyAreAvailable() {
		assertThatIllegalStateException().isThrownBy(() -> this.phases.stage(JobType.of("send", String.class), "5 EUR"))
			.withMessageContaining("Add dev.idempotency:idempotency-jobs");
	}

	@Test
	void aCommitThatIsInDoubtIsLoggedAndATakeOverMeanwhileIsLost(CapturedOutput output) {
		this.test.execute(this.call);
		this.test.transactions.failNextCommit(TestEngine.lost());
		this.test.beforeNext("progress", () -> this.test.takeOver(new Lease(this.call.identity(), 1)));
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> step("reserve"));
		assertThat(output).contains("The outcome of the step 'reserve' is unknown");
	}

}
