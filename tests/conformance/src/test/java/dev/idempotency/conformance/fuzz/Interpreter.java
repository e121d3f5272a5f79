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

package dev.idempotency.conformance.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.phase.Phases;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * Does what the script of a request says, in all ways in which a handler can answer.
 */
final class Interpreter {

	private final Executions executions;

	private final FuzzLedger ledger;

	private final AsyncTaskExecutor executor;

	Interpreter(Executions executions, FuzzLedger ledger, AsyncTaskExecutor executor) {
		this.executions = executions;
		this.ledger = ledger;
		this.executor = executor;
	}

	/**
	 * At once, on the thread of the request.
	 */
	HandlerAnswer atOnce(Script script, HttpServletRequest request) {
		ClaimResult attempt = begin(script, request);
		attempt.write();
		return attempt.end();
	}

	/**
	 * In phases: a step that writes and no {@code finish}, or a {@code finish} that
	 * writes.
	 */
	HandlerAnswer inPhases(Script script, HttpServletRequest request, Phases phases) {
		ClaimResult attempt = begin(script, request);
		if (script.place() == Place.LAST) {
			return phases.finish(() -> {
				attempt.write();
				return attempt.end();
			});
		}
		attempt.written(phases.atomic("write", String.class, attempt::write));
		return attempt.end();
	}

	/**
	 * As the script says: a value, or one of the asynchronous types.
	 */
	@Nullable Object asScripted(Script script, HttpServletRequest request, HttpServletResponse response) throws IOException {
		return switch (script.answering()) {
			case AT_ONCE -> atOnce(script, request).entity(response);
			case CALLABLE -> task(script, request);
			case FUTURE -> future(script, request);
			case DEFERRED -> deferred(script, request);
			case START_ASYNC, START_ASYNC_WITH_ARGUMENTS -> throw new IllegalArgumentException(script.toString());
		};
	}

	Callable<Object> task(Script script, HttpServletRequest request) {
		ClaimResult attempt = begin(script, request);
		return later(script, attempt);
	}

	CompletableFuture<Object> future(Script script, HttpServletRequest request) {
		Callable<Object> task = task(script, request);
		return this.executor.submitCompletable(task);
	}

	DeferredResult<Object> deferred(Script script, HttpServletRequest request) {
		Callable<Object> task = task(script, request);
		DeferredResult<Object> result = new DeferredResult<>();
		this.executor.execute(() -> {
			try {
				result.setResult(task.call());
			}
			catch (Throwable ex) {
				result.setErrorResult(ex);
			}
		});
		return result;
	}

	private static Callable<Object> later(Script script, ClaimResult attempt) {
		if (script.place() == Place.FIRST) {
			attempt.write();
		}
		return () -> {
			if (script.place() == Place.LAST) {
				attempt.write();
			}
			Object entity = attempt.end().entity(null);
			if (entity == null) {
				throw new IllegalStateException("An asynchronous answer is an entity");
			}
			return entity;
		};
	}

	/**
	 * Directly into the response, at once or on a thread of the handler's own.
	 */
	void directly(Script script, HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (!script.answering().isRaw()) {
			atOnce(script, request).write(response);
			return;
		}
		ClaimResult attempt = begin(script, request);
		if (script.place() == Place.FIRST) {
			attempt.write();
		}
		AsyncContext context = (script.answering() == Answering.START_ASYNC) ? request.startAsync()
				: request.startAsync(request, response);
		this.executor.execute(() -> {
			try {
				if (script.place() == Place.LAST) {
					attempt.write();
				}
				attempt.end().write((HttpServletResponse) context.getResponse());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			finally {
				context.complete();
			}
		});
	}

	private ClaimResult begin(Script script, HttpServletRequest request) {
		return new ClaimResult(script, this.executions, this.ledger, request);
	}

}
