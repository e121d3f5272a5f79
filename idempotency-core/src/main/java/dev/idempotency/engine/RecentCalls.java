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

import java.util.concurrent.atomic.AtomicLongArray;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.store.Attempt;

/**
 * Calls that this node has recently claimed or found finished. If such a call arrives
 * again, it is most likely a duplicate, and its state is read before a transaction
 * begins: if the store can do so in one message, this saves the message that would end
 * the transaction.
 * <p>
 * This is only a guess. The state is correct when it is read; a call that may run is
 * claimed like any other, and a wrong guess costs a round trip. Calls that were
 * displaced, or executed on other nodes, are claimed immediately.
 */
final class RecentCalls {

	/**
	 * Maximum number of remembered calls, a power of two: 512 KB, or a minute at a
	 * thousand requests a second.
	 */
	static final int SLOTS = 1 << 16;

	private final CallDecisions decisions;

	private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

	RecentCalls(CallDecisions decisions) {
		this.decisions = decisions;
	}

	/**
	 * Remembers a call.
	 */
	void add(Call call) {
		long number = call.identity().lockKey();
		this.slots.set(slot(number), number);
	}

	/**
	 * Reads the state of a call that was remembered.
	 * @return the state of a call that may not run, {@code null} if the call has to be
	 * claimed
	 */
	@Nullable Attempt ask(Call call) {
		if (!isKnown(call) || !this.decisions.store().probesInOneMessage()
				|| TransactionSynchronizationManager.isActualTransactionActive()) {
			return null;
		}
		Attempt attempt = this.decisions.probe(call, StorePhase.CLAIM);
		boolean mayRun = attempt instanceof Attempt.Acquired || attempt instanceof Attempt.Abandoned;
		return mayRun ? null : attempt;
	}

	private boolean isKnown(Call call) {
		long number = call.identity().lockKey();
		return this.slots.get(slot(number)) == number;
	}

	private static int slot(long number) {
		return (int) number & (SLOTS - 1);
	}

}
