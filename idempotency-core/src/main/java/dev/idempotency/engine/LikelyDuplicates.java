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
import dev.idempotency.engine.execution.ClaimRequest;
import dev.idempotency.engine.execution.DuplicateHandler;
import dev.idempotency.store.ClaimResult;

/**
 * Requests that this node has recently claimed or found finished. If such a request
 * arrives again, it is most likely a duplicate, and its state is read before a
 * transaction begins: if the store can do so in one message, this saves the message that
 * would end the transaction.
 * <p>
 * This is only a guess. The state is correct when it is read; a request that may run is
 * claimed like any other, and a wrong guess costs a round trip. Requests that were
 * displaced, or executed on other nodes, are claimed immediately.
 */
final class LikelyDuplicates {

	/**
	 * Maximum number of remembered requests, a power of two: 512 KB, or a minute at a
	 * thousand requests a second.
	 */
	static final int SLOTS = 1 << 16;

	private final DuplicateHandler duplicates;

	private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

	LikelyDuplicates(DuplicateHandler duplicates) {
		this.duplicates = duplicates;
	}

	/**
	 * Remembers a request.
	 */
	void add(ClaimRequest request) {
		long number = request.identity().lockKey();
		this.slots.set(slot(number), number);
	}

	/**
	 * Reads the state of a request that was remembered.
	 * @return the state of a request that may not run, {@code null} if the request has to
	 * be claimed
	 */
	@Nullable ClaimResult ask(ClaimRequest request) {
		if (!isKnown(request) || !this.duplicates.store().probesInOneMessage()
				|| TransactionSynchronizationManager.isActualTransactionActive()) {
			return null;
		}
		ClaimResult result = this.duplicates.probe(request, StorePhase.CLAIM);
		boolean mayRun = result instanceof ClaimResult.Acquired || result instanceof ClaimResult.Abandoned;
		return mayRun ? null : result;
	}

	private boolean isKnown(ClaimRequest request) {
		long number = request.identity().lockKey();
		return this.slots.get(slot(number)) == number;
	}

	private static int slot(long number) {
		return (int) number & (SLOTS - 1);
	}

}
