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

import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.Call.EffectCommits;
import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.store.Identity;

/**
 * Runs work through the engine, with return values as JSON.
 */
final class EngineOperations implements IdempotencyOperations {

	private final CallTemplate template;

	private final ThreadGuard threads;

	/**
	 * The calls that run on a thread: the lock of an identity is reentrant for its own
	 * transaction.
	 */
	private final ThreadLocal<Map<Identity, Call>> running = ThreadLocal.withInitial(HashMap::new);

	EngineOperations(CallTemplate template, ThreadGuard threads) {
		this.template = template;
		this.threads = threads;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T execute(IdempotencyRequest request, Class<T> type, Supplier<? extends @Nullable T> work) {
		return (T) execute(request, (Type) type, work);
	}

	@Override
	public @Nullable Object execute(IdempotencyRequest request, Type type, Supplier<? extends @Nullable Object> work) {
		Call call = this.template.calls().create(request, EffectCommits.ONCE);
		requireUsableTransaction(call.operation());
		requireNotRunning(call);
		return this.template.execute(request, call, type, () -> run(call, work));
	}

	private @Nullable Object run(Call call, Supplier<? extends @Nullable Object> work) {
		this.running.get().put(call.identity(), call);
		try {
			return work.get();
		}
		finally {
			ended(call);
		}
	}

	private void ended(Call call) {
		Map<Identity, Call> calls = this.running.get();
		calls.remove(call.identity());
		if (calls.isEmpty()) {
			this.running.remove();
		}
	}

	/**
	 * The record could not be written, which is better reported before the work than
	 * after it.
	 */
	private void requireUsableTransaction(IdempotentOperation operation) {
		if (this.threads.isTransactionOver()) {
			throw new IllegalTransactionStateException(operation.name()
					+ " would run in a transaction that has ended, and nothing would commit its effects. Call it before "
					+ "the commit, not in afterCommit or a @TransactionalEventListener, or there in another transaction, "
					+ "with REQUIRES_NEW around the call.");
		}
		if (TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw new IllegalTransactionStateException(
					operation.name() + " stores its return value in the transaction of its caller, which is read-only. "
							+ "Call it outside that transaction, or remove readOnly = true from the caller.");
		}
	}

	private void requireNotRunning(Call call) {
		Call outer = this.running.get().get(call.identity());
		if (outer == null) {
			return;
		}
		if (!call.fingerprint().matches(outer.fingerprint().bytes())) {
			throw new KeyReusedException();
		}
		throw new IllegalStateException(call.operation().name() + " calls itself with the same idempotency key");
	}

}
