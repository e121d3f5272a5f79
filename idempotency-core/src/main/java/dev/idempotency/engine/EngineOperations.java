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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.ReplayAuthorizer.ReplayAttempt;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.RequestTransactions.LeakDetector;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;
import dev.idempotency.store.Identity;

/**
 * Runs the calls of services through the engine, with return values as JSON.
 * <ol>
 * <li>A call that was executed before returns its stored value, if the application
 * authorises it.</li>
 * <li>Otherwise the work runs, and its value is stored together with its effects. If
 * another delivery was first, the effects are rolled back and its value is returned.</li>
 * <li>A last phase that failed because of a conflict is rolled back, and the work is
 * called again: it passes the completed steps.</li>
 * <li>After any other failure of the work or of storing its value, everything that was
 * begun is rolled back, the innermost transaction first, and the next delivery may
 * run.</li>
 * </ol>
 */
final class EngineOperations implements IdempotencyOperations {

	private static final Log logger = LogFactory.getLog(EngineOperations.class);

	private final IdempotencyEngine engine;

	private final OperationCalls calls;

	private final RequestTransactions transactions;

	/**
	 * The running calls of a thread. The lock of an identity does not detect them,
	 * because it is reentrant within a transaction.
	 */
	private final ThreadLocal<Map<Identity, ClaimRequest>> running = ThreadLocal.withInitial(HashMap::new);

	EngineOperations(IdempotencyEngine engine, OperationCalls calls, RequestTransactions transactions) {
		this.engine = engine;
		this.calls = calls;
		this.transactions = transactions;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T execute(IdempotencyRequest request, Class<T> type, Supplier<? extends @Nullable T> work) {
		return (T) execute(request, (Type) type, work);
	}

	@Override
	public @Nullable Object execute(IdempotencyRequest request, Type type, Supplier<? extends @Nullable Object> work) {
		ClaimRequest call = this.calls.create(request, EffectCommits.ONCE);
		requireUsableTransaction(call.operation());
		requireNotRunning(call);
		return execute(request, call, type, () -> run(call, work));
	}

	/**
	 * Returns the counterpart of these operations for work in phases.
	 */
	PhaseOperations inPhases(Phases phases) {
		return new PhaseOperations() {
			@Override
			@SuppressWarnings({ "unchecked", "NullAway" })
			public <T extends @Nullable Object> T execute(IdempotencyRequest request, Class<T> type,
					Function<Phases, ? extends T> work) {
				if (TransactionSynchronizationManager.isActualTransactionActive()) {
					throw new IllegalTransactionStateException(request.operation()
							+ " runs in phases, which have separate transactions. Call it outside a transaction.");
				}
				ClaimRequest call = EngineOperations.this.calls.create(request, EffectCommits.IN_PHASES);
				return (T) EngineOperations.this.execute(request, call, type, () -> work.apply(phases));
			}
		};
	}

	private @Nullable Object execute(IdempotencyRequest request, ClaimRequest call, Type type,
			Supplier<? extends @Nullable Object> work) {
		LeakDetector leaks = this.transactions.detectLeaks(call.operation().name());
		try {
			Claim claim = (request.maxWait() != null) ? this.engine.claim(call, request.maxWait())
					: this.engine.claim(call);
			if (claim instanceof Claim.Replayed replayed) {
				this.engine.requireAuthorized(() -> new ReplayAttempt(call.operation(), this.calls.account(request),
						arguments(request.content())));
				return this.calls.values().read(replayed.response(), type);
			}
			return run(call, (Execution) claim, type, work, leaks);
		}
		finally {
			leaks.end();
		}
	}

	private @Nullable Object run(ClaimRequest call, Execution execution, Type type,
			Supplier<? extends @Nullable Object> work, LeakDetector leaks) {
		try {
			while (true) {
				Object value;
				StoredResponse response;
				try (Scope scope = execution.openScope()) {
					value = work.get();
					leaks.requireEnded(execution.transaction());
					execution.flush();
					response = this.calls.values().toResponse(call.operation().name(), type, value);
				}
				try {
					Optional<StoredResponse> other = execution.finish(response);
					return other.isPresent() ? this.calls.values().read(other.get(), type) : value;
				}
				catch (FinishConflictException conflict) {
					logger.debug("The work is called again", conflict);
				}
			}
		}
		catch (Throwable ex) {
			// Any exception: suppliers can throw checked exceptions, too.
			// The innermost first: its end resumes the transaction that it had suspended.
			leaks.endLeaked(execution.transaction());
			execution.failed(ex);
			execution.endUnanswered();
			if (LeaseLostException.in(ex) instanceof LeaseLostException lost) {
				throw lost;
			}
			throw ex;
		}
	}

	@SuppressWarnings("unchecked")
	private static List<@Nullable Object> arguments(@Nullable Object content) {
		if (content instanceof List<?> several) {
			return (List<@Nullable Object>) several;
		}
		return (content != null) ? List.of(content) : List.of();
	}

	private @Nullable Object run(ClaimRequest call, Supplier<? extends @Nullable Object> work) {
		this.running.get().put(call.identity(), call);
		try {
			return work.get();
		}
		finally {
			ended(call);
		}
	}

	private void ended(ClaimRequest call) {
		Map<Identity, ClaimRequest> calls = this.running.get();
		calls.remove(call.identity());
		if (calls.isEmpty()) {
			this.running.remove();
		}
	}

	/**
	 * Refuses a transaction in which the record cannot be written, before the work runs.
	 */
	private void requireUsableTransaction(IdempotentOperation operation) {
		if (this.transactions.isOver()) {
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

	private void requireNotRunning(ClaimRequest call) {
		ClaimRequest outer = this.running.get().get(call.identity());
		if (outer == null) {
			return;
		}
		if (!call.fingerprint().matches(outer.fingerprint().bytes())) {
			throw new KeyReusedException();
		}
		throw new IllegalStateException(call.operation().name() + " calls itself with the same idempotency key");
	}

}
