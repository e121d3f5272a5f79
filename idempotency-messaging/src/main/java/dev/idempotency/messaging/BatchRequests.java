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

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.aop.AnnotatedOperation;
import dev.idempotency.engine.CallBatch;
import dev.idempotency.engine.CallBatch.RefusedCallException;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.OperationCalls;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.store.Identity;

/**
 * Claims the messages of a batch.
 */
public record BatchRequests(IdempotencyEngine engine, OperationCalls calls, MessageRequests requests,
		ThreadGuard threads) {

	/**
	 * The stored answer of a message in a batch: a return value belongs to no single
	 * message.
	 */
	static final Answer PROCESSED = new Answer(0, List.of(), "null".getBytes(StandardCharsets.UTF_8));

	/**
	 * Claims messages.
	 * @param operation the listener method
	 * @param messages the messages
	 * @param scopes the scopes of their keys
	 * @return the arguments of the method
	 * @throws RefusedCallException if one of them cannot be processed
	 */
	BatchDelivery claim(AnnotatedOperation operation, List<IncomingMessage> messages, IntFunction<String> scopes) {
		List<Call> claimed = new ArrayList<>();
		List<Integer> places = new ArrayList<>();
		List<Integer> fresh = new ArrayList<>();
		Map<Identity, Call> seen = new HashMap<>();
		for (int place = 0; place < messages.size(); place++) {
			Call call = call(operation, messages.get(place), scopes.apply(place), place);
			if (call == null) {
				fresh.add(place);
				continue;
			}
			Call other = seen.putIfAbsent(call.identity(), call);
			if (other == null) {
				claimed.add(call);
				places.add(place);
			}
			else if (!call.fingerprint().matches(other.fingerprint().bytes())) {
				throw new RefusedCallException(place, new KeyReusedException());
			}
		}
		CallBatch batch = claimed.isEmpty() ? null : claim(claimed, places);
		for (int index = 0; batch != null && index < claimed.size(); index++) {
			if (batch.isExecution(index)) {
				fresh.add(places.get(index));
			}
		}
		fresh.sort(null);
		return new BatchDelivery(operation, batch, fresh, places, this.threads);
	}

	private @Nullable Call call(AnnotatedOperation operation, IncomingMessage message, String scope, int place) {
		try {
			IdempotencyRequest request = this.requests.create(operation, message, scope);
			return (request != null) ? this.calls.create(request, Call.EffectCommits.ONCE) : null;
		}
		catch (IdempotencyException ex) {
			throw new RefusedCallException(place, ex);
		}
	}

	private CallBatch claim(List<Call> claimed, List<Integer> places) {
		try {
			return this.engine.claimAll(claimed, this.requests.maxWait());
		}
		catch (RefusedCallException ex) {
			throw new RefusedCallException(places.get(ex.index()), ex.reason());
		}
	}

}
