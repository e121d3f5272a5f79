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
import org.junit.jupiter.api.Test;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.phase.Phases;
import dev.idempotency.store.ClaimResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Errors in a request in phases, over the store in memory.
 */
class PhasedErrorTests {

	private final TestEngine test = new TestEngine();

	private final Phases phases = this.test.phases();

	private final ClaimRequest call = TestEngine.call(1, Mode.LEASED, EffectCommits.IN_PHASES);

	private final List<String> done = new ArrayList<>();

	@AfterEach
	void close() {
		this.test.close();
	}

	private void step(String name) {
		this.phases.atomic(name, () -> {
			this.done.add(name);
		});
	}

	private static void interrupt(Execution execution, Throwable failure) {
		execution.failed(failure);
		execution.endUnanswered();
	}

	@Test
	void aStepThatThrowsAnErrorIsRolledBackAndDoneByTheNextRun() {
		Execution first = this.test.execute(this.call);
		step("reserve");
		Error error = new NoClassDefFoundError("com/example/Missing");
		assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> this.phases.atomic("charge", () -> {
			throw error;
		}));
		assertThatExceptionOfType(NoClassDefFoundError.class)
			.isThrownBy(() -> this.phases.foreign("notify", Void.class, (key) -> {
				throw error;
			}));
		interrupt(first, error);
		Execution second = this.test.execute(this.call);
		step("reserve");
		step("charge");
		assertThat(this.done).containsExactly("reserve", "charge");
		second.finish(TestEngine.answer("ridden"));
		assertThat(this.test.claim(this.call)).isInstanceOf(Claim.Replayed.class);
	}

	@Test
	void aLeaseIsNotHeldForARequestWhoseStepsCannotBeReadForAnError() {
		Execution first = this.test.execute(this.call);
		step("reserve");
		interrupt(first, new IllegalStateException());
		ResponseCodec broken = new ResponseCodec() {

			@Override
			public byte[] encode(Context context, byte[] content) {
				return content;
			}

			@Override
			public byte[] decode(Context context, byte[] stored) {
				throw new NoClassDefFoundError("com/example/Missing");
			}

		};
		assertThatExceptionOfType(NoClassDefFoundError.class)
			.isThrownBy(() -> this.test.engine(broken).claim(this.call));
		// Those that are held are given up at the end.
		this.test.keeper.start();
		this.test.keeper.stop();
		assertThat(this.test.memory.probe(this.call.identity())).isInstanceOf(ClaimResult.Held.class);
	}

}
