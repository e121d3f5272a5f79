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
package dev.idempotency.messaging;

import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.aop.AnnotatedOperation;
import dev.idempotency.engine.CallBatch;
import dev.idempotency.engine.transaction.ThreadGuard;

/**
 * Messages that a listener receives as one list, without those that were processed
 * before. The effects for the others, and a record for each of them, commit together.
 */
final class BatchDelivery implements Delivery {

	private final AnnotatedOperation operation;

	private final @Nullable CallBatch batch;

	private final List<Integer> fresh;

	private final List<Integer> claimed;

	private final ThreadGuard threads;

	private @Nullable IntPredicate refused;

	private boolean used;

	/**
	 * Creates the delivery of claimed messages.
	 * @param operation the listener method
	 * @param batch the claim, {@code null} if no message has a key
	 * @param fresh the places of the messages that the listener receives, in their order
	 * @param claimed the places of the messages of the batch
	 * @param threads leaves no transaction of the listener on its thread
	 */
	BatchDelivery(AnnotatedOperation operation, @Nullable CallBatch batch, List<Integer> fresh, List<Integer> claimed,
			ThreadGuard threads) {
		this.threads = threads;
		this.operation = operation;
		this.batch = batch;
		this.fresh = List.copyOf(fresh);
		this.claimed = claimed;
	}

	/**
	 * Selects the messages that were not processed before.
	 */
	<M> List<M> fresh(List<M> messages) {
		return this.fresh.stream().map(messages::get).toList();
	}

	/**
	 * Maps an index in the listener's list to the place among all messages.
	 */
	int place(int index) {
		return this.fresh.get(index);
	}

	void refusedBy(@Nullable IntPredicate by) {
		this.refused = by;
	}

	/**
	 * Rolls back, if the listener method was not reached.
	 */
	void close() {
		if (this.batch != null) {
			this.batch.release();
		}
	}

	@Override
	public boolean isFor(AnnotatedOperation other) {
		return other.method().equals(this.operation.method()) && other.type() == this.operation.type();
	}

	@Override
	public @Nullable Object invoke(AnnotatedOperation operation, MethodInvocation invocation) throws Throwable {
		if (this.used) {
			throw new IllegalStateException("The messages were already passed to " + operation.settings().name()
					+ ", whose effects were rolled back. Leave retries to the "
					+ "container's error handler, which calls the whole listener again.");
		}
		this.used = true;
		if (this.batch == null) {
			return invocation.proceed();
		}
		IntPredicate refusal = this.refused;
		return this.batch.run(this.threads.watch(operation.settings().name()), invocation::proceed,
				BatchRequests.PROCESSED, (call) -> refusal != null
						&& refusal.test(Collections.binarySearch(this.fresh, this.claimed.get(call))));
	}

}
