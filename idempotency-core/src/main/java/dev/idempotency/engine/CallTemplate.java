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
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyRequest;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.Execution.Reply;
import dev.idempotency.engine.observation.FinishConflictException;
import dev.idempotency.engine.observation.StageObserver.ActiveStage;
import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.engine.transaction.ThreadWatch;
import dev.idempotency.exception.LeaseLostException;

/**
 * A template for the calls of services, from the claim to the return value.
 * <ol>
 * <li>A call that was executed before returns its stored value, if the application
 * authorises it.</li>
 * <li>Otherwise the work runs, and its value is stored together with its effects. Where
 * another delivery was first, the effects are rolled back and its value is returned.</li>
 * <li>A last phase that failed because of a conflict is rolled back, and the work is
 * called again: it passes the completed steps.</li>
 * <li>After any other failure of the work or of storing its value, everything that was
 * begun is rolled back, the innermost transaction first, and the next delivery may
 * run.</li>
 * </ol>
 *
 * @param engine claims calls
 * @param calls knows the accounts of requests and the format of return values
 * @param replays asks before a stored value is returned
 * @param threads leaves no transaction of the work on its thread
 */
record CallTemplate(IdempotencyEngine engine, OperationCalls calls, ReplayChecks replays, ThreadGuard threads) {

	private static final Log logger = LogFactory.getLog(CallTemplate.class);

	/**
	 * Executes a call, or returns the result of its first execution.
	 * @param request the request
	 * @param call the request as a call
	 * @param type the declared type of the return value
	 * @param work the work
	 * @return the return value, of this execution or of another one
	 * @throws RuntimeException what the work has thrown, or the reason why the call was
	 * not executed
	 */
	@Nullable Object execute(IdempotencyRequest request, Call call, Type type, Supplier<? extends @Nullable Object> work) {
		ThreadWatch watch = this.threads.watch(call.operation().name());
		try {
			Claim claim = (request.maxWait() != null) ? this.engine.claim(call, request.maxWait())
					: this.engine.claim(call);
			if (claim instanceof Claim.Replayed replayed) {
				this.replays.require(call.operation(), () -> this.calls.account(request), request);
				return this.calls.values().read(replayed.answer(), type);
			}
			return run(call, (Execution) claim, type, work, watch);
		}
		finally {
			watch.end();
		}
	}

	private @Nullable Object run(Call call, Execution execution, Type type, Supplier<? extends @Nullable Object> work,
			ThreadWatch watch) {
		try {
			while (true) {
				Object value;
				Answer answer;
				try (ActiveStage.Scope scope = execution.openScope()) {
					value = work.get();
					watch.requireEnded(execution.transaction());
					answer = this.calls.values().toAnswer(call.operation().name(), type, value);
				}
				try {
					Reply reply = execution.finish(answer);
					return (reply instanceof Claim.Replayed theirs) ? this.calls.values().read(theirs.answer(), type)
							: value;
				}
				catch (FinishConflictException conflict) {
					logger.debug("The work is called again", conflict);
				}
			}
		}
		catch (Throwable ex) {
			// Any exception: suppliers can throw checked ones, too.
			// The innermost first: each end resumes what the next one has suspended.
			watch.endLeaked(execution.transaction());
			execution.failed(ex);
			execution.endUnanswered();
			if (LeaseLostException.in(ex) instanceof LeaseLostException lost) {
				throw lost;
			}
			throw ex;
		}
	}

}
