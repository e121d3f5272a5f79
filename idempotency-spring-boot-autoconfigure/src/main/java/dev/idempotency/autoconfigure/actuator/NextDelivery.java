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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestStuckException;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.store.OperatorStore.KeptRecord;

/**
 * The expected result of another delivery of a request.
 *
 * @param outcome {@code replayed} for the stored answer, {@code executed} for a run from
 * the beginning, {@code continued} for a run after the last completed step, or the name
 * of the problem: {@code in-progress}, {@code stuck}, {@code not-replayable}
 * @param status its HTTP status, {@code null} if it is unknown, 0 for the return value of
 * a bean
 * @param detail the text of the problem, {@code null} if there is none
 */
record NextDelivery(String outcome, @Nullable Integer status,
		@Nullable String detail) implements OperationResponseBody {

	private static final int CONFLICT = 409;

	static NextDelivery executed() {
		return new NextDelivery("executed", null, null);
	}

	static NextDelivery of(KeptRecord kept) {
		return (kept.answer().content() != null) ? new NextDelivery("replayed", kept.answer().status(), null)
				: refused("not-replayable", new NotReplayableException(null));
	}

	static NextDelivery of(UnfinishedRequest open, LeaseExpiry onExpiry) {
		return switch (open.state()) {
			case STUCK -> refused("stuck", new RequestStuckException());
			case RUNNING -> inProgress();
			case WAITING -> {
				if (open.effects() || onExpiry != LeaseExpiry.RERUN) {
					yield inProgress();
				}
				yield (open.recoveryPoint() != null) ? new NextDelivery("continued", null, null) : executed();
			}
		};
	}

	private static NextDelivery inProgress() {
		return refused("in-progress", new RequestInProgressException(Duration.ZERO));
	}

	private static NextDelivery refused(String problem, RuntimeException refusal) {
		return new NextDelivery(problem, CONFLICT, refusal.getMessage());
	}

}
