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
import java.util.Optional;

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

/**
 * One execution whose response is buffered until its effects are committed: the handler,
 * then its view if it names one, then the answer.
 */
final class CapturedExecution implements PendingView {

	private final Parts parts;

	private final IdempotentExchange exchange;

	private final AsyncSupport request;

	private final HttpServletResponse response;

	private final CapturingResponse captured;

	private final HandlerThread thread;

	/**
	 * Creates an execution.
	 * @param parts the parts of Spring MVC and of this library that it passes
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
			this.request.followThreads(this.parts.guard());
			ModelAndView view = this.parts.handlers().handle(this.request, this.captured, handler);
			if (this.request.isAsyncHandlingStarted()) {
				this.thread.suspend(this.captured.fields());
				this.captured.close();
				return null;
			}
			requireSound();
			if (view != null) {
				bindTo(this.request);
				return new ProtectedModelAndView(view);
			}
			other = this.parts.conclusion().conclude(this.exchange, this.request, this.captured, null);
		}
		catch (FinishConflictException conflict) {
			this.captured.close();
			throw conflict;
		}
		catch (ReplaySignal signal) {
			other = Optional.of(signal.answer());
		}
		catch (Exception | Error ex) {
			fail(ex);
			throw ex;
		}
		send(other);
		return null;
	}

	@Override
	public boolean render(ModelAndView view) throws Exception {
		Optional<Answer> other;
		this.thread.resume();
		try (ThreadBinding bound = ThreadBinding.bind(this.request, this.captured)) {
			this.parts.views().render(view, this.request, this.captured);
			requireSound();
			other = this.parts.conclusion().conclude(this.exchange, this.request, this.captured, view.getModel());
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

	@Override
	public void abandon(Throwable failure) {
		this.captured.close();
		this.exchange.fail(failure);
	}

	/**
	 * Fails if the request can no longer end as one: with its transaction alone on the
	 * thread, and nothing sent.
	 */
	private void requireSound() {
		this.exchange.requireNotRefused();
		this.request.requireNotStarted();
		this.thread.requireNothingLeftOpen();
		if (this.response.isCommitted() && !this.exchange.mayAnswerLater()) {
			throw this.exchange.refuse(RunTimeRules.committedEarly(this.exchange));
		}
	}

	private void fail(Throwable failure) {
		this.thread.fail(failure);
		this.captured.close();
	}

	private void send(Optional<Answer> other) throws IOException {
		try (CapturingResponse own = this.captured) {
			if (other.isPresent()) {
				this.parts.answers()
					.replay(other.get(), this.exchange.delivery().endpoint().operation(), this.request, this.response);
			}
			else {
				own.release();
			}
		}
	}

	/**
	 * The parts that each execution passes, in this order.
	 *
	 * @param guard watches over the threads of requests
	 * @param handlers calls handlers
	 * @param views renders views
	 * @param conclusion ends the execution
	 * @param answers makes answers of responses and responses of answers
	 */
	record Parts(ThreadGuard guard, RequestMappingHandlerAdapter handlers, ViewRenderer views, Conclusion conclusion,
			AnswerRecorder answers) {
	}

}
