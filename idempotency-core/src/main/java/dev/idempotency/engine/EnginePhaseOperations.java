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

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;

/**
 * Runs work in phases through the engine, with return values as JSON.
 *
 * @param template executes calls
 * @param phases the phases of a request
 */
record EnginePhaseOperations(CallTemplate template, Phases phases) implements PhaseOperations {

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object> T execute(IdempotencyRequest request, Class<T> type,
			Function<Phases, ? extends T> work) {
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalTransactionStateException(request.operation()
					+ " runs in phases, which have separate transactions. Call it outside a transaction.");
		}
		Call call = this.template.calls().create(request, Call.EffectCommits.IN_PHASES);
		return (T) this.template.execute(request, call, type, () -> work.apply(this.phases));
	}

}
