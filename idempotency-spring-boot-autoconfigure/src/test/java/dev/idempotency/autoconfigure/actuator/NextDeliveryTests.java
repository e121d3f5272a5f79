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
package dev.idempotency.autoconfigure.actuator;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.autoconfigure.actuator.RequestView.NextDelivery;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore.KeptRecord;

import static org.assertj.core.api.Assertions.assertThat;

class NextDeliveryTests {

	@Test
	void anAnswerIsReplayedUnlessItWasNotKept() {
		assertThat(NextDelivery.of(kept(new byte[1]))).isEqualTo(new NextDelivery("replayed", 201, null));
		assertThat(NextDelivery.of(kept(null)).outcome()).isEqualTo("not-replayable");
		assertThat(NextDelivery.of(kept(null)).status()).isEqualTo(409);
	}

	@Test
	void aRequestThatWaitsGoesOnAfterItsLastStep() {
		assertThat(next(State.WAITING, "charged", false, LeaseExpiry.RERUN)).isEqualTo("continued");
		assertThat(next(State.WAITING, null, false, LeaseExpiry.RERUN)).isEqualTo("executed");
	}

	@Test
	void aRequestThatWaitsIsRefusedWhereDeliveriesTakeNothingOver() {
		assertThat(next(State.WAITING, null, true, LeaseExpiry.RERUN)).isEqualTo("in-progress");
		assertThat(next(State.WAITING, "charged", false, LeaseExpiry.REFUSE)).isEqualTo("in-progress");
		assertThat(next(State.WAITING, "charged", false, LeaseExpiry.COMPLETE)).isEqualTo("in-progress");
	}

	@Test
	void aRequestThatRunsOrIsStuckIsRefusedWithAProblem() {
		assertThat(next(State.RUNNING, null, false, LeaseExpiry.RERUN)).isEqualTo("in-progress");
		assertThat(next(State.STUCK, "charged", false, LeaseExpiry.RERUN)).isEqualTo("stuck");
		assertThat(NextDelivery.of(open(State.STUCK, null, false), LeaseExpiry.RERUN).detail())
			.contains("needs manual resolution");
	}

	private static KeptRecord kept(byte @Nullable [] content) {
		return new KeptRecord(new Identity(new byte[32], new byte[16]), "POST /rides", new byte[33],
				new EncodedResponse(201, content), Instant.EPOCH, Instant.EPOCH);
	}

	private static String next(State state, @Nullable String step, boolean effects, LeaseExpiry onExpiry) {
		return NextDelivery.of(open(state, step, effects), onExpiry).outcome();
	}

	private static UnfinishedRequest open(State state, @Nullable String step, boolean effects) {
		return new UnfinishedRequest("00", "00", "POST /rides", state, step, 1, effects, Instant.EPOCH, Instant.EPOCH,
				null, null, null, "node:1", "1");
	}

}
