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
package dev.idempotency.phase;

import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.engine.Call;
import dev.idempotency.engine.Claim;
import dev.idempotency.engine.Execution;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.OperationCalls;
import dev.idempotency.engine.ReplayChecks;
import dev.idempotency.engine.ReturnValueFormat;
import dev.idempotency.engine.ThreadGuard;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.observation.FinishConflictException;

/**
 * Runs work in phases through the engine, with return values as JSON.
 */
public final class EnginePhaseOperations implements PhaseOperations {

	private static final Log logger = LogFactory.getLog(EnginePhaseOperations.class);

	private final IdempotencyEngine engine;

	private final OperationCalls calls;

	private final Phases phases;

	private final ReturnValueFormat values;

	private final ReplayChecks replays;

	private final ThreadGuard threads;

	/**
	 * Creates operations.
	 * @param engine claims calls
	 * @param calls makes calls of requests
	 * @param phases the phases of a request
	 * @param values reads and writes return values
	 * @param replays asks before a stored value is returned
	 * @param threads leaves no transaction of the work on its thread
	 */
	public EnginePhaseOperations(IdempotencyEngine engine, OperationCalls calls, Phases phases,
			ReturnValueFormat values, ReplayChecks replays, ThreadGuard threads) {
		this.engine = engine;
		this.calls = calls;
		this.phases = phases;
		this.values = values;
		this.replays = replays;
		this.threads = threads;
	}

	@Override
	public <T extends @Nullable Object> T execute(IdempotencyRequest request, Class<T> type,
			Function<Phases, ? extends T> work) {
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalTransactionStateException(request.operation()
					+ " runs in phases, which have separate transactions. " + "Call it outside of a transaction.");
		}
		Call call = this.calls.create(request, Call.Commits.IN_PHASES);
		ThreadGuard.Watch watch = this.threads.watch(call.operation().name());
		try {
			return execute(request, call, type, work, watch);
		}
		finally {
			watch.end();
		}
	}

	private <T extends @Nullable Object> T execute(IdempotencyRequest request, Call call, Class<T> type,
			Function<Phases, ? extends T> work, ThreadGuard.Watch watch) {
		Claim claim = this.engine.claim(call);
		if (claim instanceof Claim.Replayed replayed) {
			this.replays.require(call.operation(), () -> this.calls.account(request), request);
			return this.values.fromAnswer(replayed.answer(), type);
		}
		Execution execution = (Execution) claim;
		try {
			return run(request.operation(), execution, type, work, watch);
		}
		catch (RuntimeException | Error ex) {
			watch.endLeaked(execution.transaction());
			execution.failed(ex);
			execution.endUnanswered();
			throw ex;
		}
	}

	private <T extends @Nullable Object> T run(String operation, Execution execution, Class<T> type,
			Function<Phases, ? extends T> work, ThreadGuard.Watch watch) {
		while (true) {
			T value = work.apply(this.phases);
			watch.requireEnded(execution.transaction());
			try {
				Answer theirs = execution.finish(this.values.toAnswer(operation, type, value));
				return (theirs != null) ? this.values.fromAnswer(theirs, type) : value;
			}
			catch (FinishConflictException conflict) {
				logger.debug("The work is called once more", conflict);
			}
		}
	}

}
