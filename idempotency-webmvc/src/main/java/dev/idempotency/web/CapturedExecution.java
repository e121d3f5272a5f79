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
package dev.idempotency.web;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.observation.FinishConflictException;
import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.web.capture.AnswerRecorder;
import dev.idempotency.web.capture.CapturingResponse;
import dev.idempotency.web.recovery.CommandDispatcher;

/**
 * One execution whose response is buffered until its effects are committed: the handler,
 * then its view if it names one, then the answer.
 */
final class CapturedExecution {

	private static final String PENDING = CapturedExecution.class.getName() + ".pending";

	private static final String FAILED = CapturedExecution.class.getName() + ".failed";

	private final Parts parts;

	private final IdempotentExchange exchange;

	private final AsyncSupport request;

	private final HttpServletResponse response;

	private final CapturingResponse captured;

	private final HandlerThread thread;

	/**
	 * Set when the answer is complete and has yet to be committed.
	 */
	private boolean answered;

	/**
	 * Creates an execution.
	 * @param parts the collaborators
	 * @param exchange the exchange
	 * @param request the request for the handler
	 * @param response the response to the client
	 * @param earlier the headers that an earlier dispatch has set
	 * @param thread the current thread
	 */
	CapturedExecution(Parts parts, IdempotentExchange exchange, AsyncSupport request, HttpServletResponse response,
			List<HeaderField> earlier, HandlerThread thread) {
		this.parts = parts;
		this.exchange = exchange;
		this.request = request;
		this.response = response;
		this.thread = thread;
		this.captured = parts.answers().capture(response, earlier);
	}

	/**
	 * Runs the handler and sends its answer.
	 * @return the view that is still to be rendered, or {@code null}
	 * @throws FinishConflictException if the handler has to be called again
	 */
	@Nullable ModelAndView handle(Object handler) throws Exception {
		Optional<Answer> other;
		try (ThreadBinding bound = ThreadBinding.bind(this.request, this.captured)) {
			this.request.requireStorableResult();
			this.request.followThreads(this.parts.guard());
			ModelAndView view = this.parts.handlers().handle(this.request, this.captured, handler);
			if (this.request.isAsyncHandlingStarted()) {
				this.thread.suspend(this.captured.releaseCookies());
				this.captured.close();
				return null;
			}
			other = this.exchange.replay();
			if (other.isEmpty()) {
				this.exchange.requireNoRefusal();
				requireSound();
				if (view != null) {
					// The interceptors may still change it.
					this.request.setAttribute(PENDING, this);
					return new ViewInterceptor.ProtectedModelAndView(view);
				}
				other = conclude(null);
			}
		}
		catch (FinishConflictException conflict) {
			this.captured.close();
			throw conflict;
		}
		catch (Exception | Error ex) {
			other = this.exchange.replay();
			if (other.isEmpty()) {
				fail(ex);
				throw ex;
			}
		}
		send(other);
		return null;
	}

	/**
	 * Takes over the execution of a request whose view is still to be rendered.
	 * @return the execution, {@code null} if there is none
	 */
	static @Nullable CapturedExecution takePending(ServletRequest request) {
		CapturedExecution pending = (CapturedExecution) request.getAttribute(PENDING);
		if (pending != null) {
			request.removeAttribute(PENDING);
		}
		return pending;
	}

	/**
	 * Fails the execution of a request whose view will not be rendered.
	 */
	void abandon(Throwable failure) {
		this.captured.close();
		this.exchange.fail(failure);
	}

	/**
	 * Renders the view, stores the answer, and sends it.
	 * @return {@code false} if something else was sent in its place
	 */
	boolean render(ModelAndView view) throws Exception {
		Optional<Answer> other;
		this.thread.resume();
		try (ThreadBinding bound = ThreadBinding.bind(this.request, this.captured)) {
			this.parts.dispatcher().render(view, this.request, this.captured);
			requireSound();
			other = conclude(view.getModel());
		}
		catch (Exception | Error ex) {
			fail(ex);
			throw ex;
		}
		finally {
			this.thread.end();
		}
		send(other);
		return other.isEmpty() && !this.captured.isError();
	}

	/**
	 * Fails if the execution can no longer be stored, or if something was sent before its
	 * transaction has committed.
	 */
	private void requireSound() {
		this.thread.requireSound(this.request);
		if (this.response.isCommitted() && !this.exchange.mayAnswerLater()) {
			throw this.exchange.rules().committedEarly();
		}
	}

	private Optional<Answer> conclude(@Nullable Map<String, Object> model) throws ServletException, IOException {
		this.answered = true;
		return this.parts.conclusion().conclude(this.exchange, this.request, this.captured, model);
	}

	private void fail(Throwable failure) {
		if (!this.answered) {
			this.request.setAttribute(FAILED, this.captured.fieldsOfFailure());
		}
		this.thread.fail(failure);
		this.captured.close();
	}

	/**
	 * Returns the headers that were set when a handler or its view failed: they are part
	 * of the answer to the failure, as without the library. The headers of an answer that
	 * could not be committed are not.
	 */
	@SuppressWarnings("unchecked")
	static List<HeaderField> headersOfFailure(ServletRequest request) {
		Object headers = request.getAttribute(FAILED);
		return (headers != null) ? (List<HeaderField>) headers : List.of();
	}

	private void send(Optional<Answer> other) throws IOException {
		try (CapturingResponse own = this.captured) {
			this.parts.answers().send(own, other, this.request, this.response);
		}
	}

	/**
	 * The collaborators of an execution, in the order of their use.
	 *
	 * @param guard watches the threads of requests
	 * @param handlers calls handlers
	 * @param dispatcher renders views
	 * @param conclusion ends the execution
	 * @param answers converts responses to answers and back
	 */
	record Parts(ThreadGuard guard, RequestMappingHandlerAdapter handlers, CommandDispatcher dispatcher,
			Conclusion conclusion, AnswerRecorder answers) {
	}

}
