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

import java.util.List;
import java.util.Optional;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.execution.Call.EffectCommits;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.web.content.HandlerRequest;

/**
 * One request to a protected endpoint, on its way to the handler and back through any
 * number of dispatches. Bound to the request by the interceptor, and notified by the
 * parts that the request passes; each step is taken once, regardless of forwards and
 * includes.
 */
final class IdempotentExchange {

	private static final String ATTRIBUTE = IdempotentExchange.class.getName();

	private final Delivery delivery;

	private final RunTimeRules rules;

	private final HandlerRun run = new HandlerRun();

	private boolean entered;

	private @Nullable Unclaimed unclaimed;

	private @Nullable HttpServletResponse response;

	/**
	 * The exception with which the request has left the proxy of its controller: that of
	 * the handler, a replay or a refusal. Advice in front of the claim may have called
	 * the handler again, or returned or thrown something else.
	 */
	private @Nullable Throwable exit;

	/**
	 * The headers that were set before the result was left to another thread, until a
	 * dispatch resumes the request.
	 */
	private volatile @Nullable List<HeaderField> suspended;

	private volatile boolean asynchronous;

	private IdempotentExchange(ServletRequest request, Delivery delivery) {
		this.delivery = delivery;
		this.asynchronous = request.getDispatcherType() == DispatcherType.ASYNC;
		this.rules = new RunTimeRules(delivery);
	}

	static void begin(ServletRequest request, Delivery delivery) {
		request.setAttribute(ATTRIBUTE, new IdempotentExchange(request, delivery));
	}

	static @Nullable IdempotentExchange boundTo(ServletRequest request) {
		return (IdempotentExchange) request.getAttribute(ATTRIBUTE);
	}

	/**
	 * Makes a request within a protected one unprotected.
	 */
	static void hideIn(ServletRequest inner) {
		inner.setAttribute(ATTRIBUTE, null);
	}

	Delivery delivery() {
		return this.delivery;
	}

	RunTimeRules rules() {
		return this.rules;
	}

	HandlerRun run() {
		return this.run;
	}

	/**
	 * Enters the adapter.
	 * @return {@code false} if it was entered before: an inner dispatch is part of that
	 */
	boolean enter() {
		boolean first = !this.entered;
		this.entered = true;
		return first;
	}

	/**
	 * Takes the request of the handler and the response to its client, on the thread that
	 * runs the handler and ends its execution.
	 */
	void prepare(HandlerRequest request, HttpServletResponse response) {
		Assert.state(this.unclaimed == null, "The request was prepared before");
		this.response = response;
		this.unclaimed = new Unclaimed(request, Thread.currentThread());
	}

	/**
	 * Returns the request that is still to be claimed, {@code null} if the handler was
	 * reached before.
	 * @throws dev.idempotency.exception.InvalidIdempotentException if the adapter was
	 * bypassed
	 * @throws Throwable the exception that has left the proxy before: advice that retries
	 * does not call the handler twice
	 */
	@Nullable Unclaimed unclaimed() throws Throwable {
		if (!this.entered) {
			throw this.rules.byAnotherAdapter();
		}
		if (this.unclaimed == null && this.exit != null) {
			throw this.exit;
		}
		return this.unclaimed;
	}

	/**
	 * Begins the run of the handler under a claim.
	 */
	void claimed(Execution execution) {
		this.exit = null;
		this.unclaimed = null;
		this.run.begin(execution);
	}

	void leftProxy(Throwable exception) {
		this.exit = exception;
		if (exception instanceof ReplaySignal) {
			this.unclaimed = null;
		}
	}

	/**
	 * Returns the stored answer that was found instead of calling the handler.
	 */
	Optional<Answer> replay() {
		return (this.exit instanceof ReplaySignal signal) ? Optional.of(signal.answer()) : Optional.empty();
	}

	/**
	 * Throws the refusal of a request that advice has answered with a result.
	 */
	void requireNoRefusal() {
		if (!this.run.isReached() && this.exit instanceof RuntimeException refusal) {
			throw refusal;
		}
	}

	/**
	 * Returns whether the request was answered, or may be executed again.
	 */
	boolean isOver() {
		return this.run.hasEnded() || replay().isPresent();
	}

	/**
	 * Returns whether the handler may leave its result to another thread: its own thread
	 * has no transaction to keep, or the request carries no key.
	 */
	boolean mayAnswerLater() {
		return !this.run.isReached() || this.delivery.endpoint().commits() == EffectCommits.FREELY;
	}

	/**
	 * Suspends the request: the handler's result comes from another thread, and is
	 * written by a later dispatch.
	 * @param headers the headers that the handler has set until now
	 */
	void suspend(List<HeaderField> headers) {
		this.asynchronous = true;
		this.run.leaveThread();
		this.suspended = headers;
	}

	/**
	 * Resumes the request in the dispatch with the result.
	 * @return the headers that were set before, empty if no result is awaited
	 */
	Optional<List<HeaderField>> resume() {
		Optional<List<HeaderField>> headers = Optional.ofNullable(this.suspended);
		this.suspended = null;
		return headers;
	}

	/**
	 * Completes the request, as the container sees it. If no dispatch has resumed its
	 * result, it was answered by another component, such as a filter: that answer is not
	 * the handler's.
	 */
	void complete() {
		if (resume().isPresent()) {
			this.run.abandon();
		}
	}

	/**
	 * Ends the request. If no error page has written the answer to its failure, a filter
	 * has: that answer is not the handler's. For an asynchronous request the container
	 * calls this before it shows the error page.
	 */
	void requestDestroyed() {
		if (!this.asynchronous && this.response != null) {
			this.run.endUnstored(this.response.getStatus());
		}
	}

	/**
	 * Returns whether a filter has answered a failure without the error page.
	 */
	boolean isAnsweredByFilter(ServletRequest request) {
		return this.response != null && this.response.getStatus() >= HttpServletResponse.SC_BAD_REQUEST
				&& request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) == null;
	}

	/**
	 * Fails the run, for the reason of a refusal if the exception has one.
	 */
	void fail(Throwable failure) {
		this.rules.refuseFor(failure);
		this.suspended = null;
		this.run.fail(failure);
	}

	/**
	 * A request that is still to be claimed.
	 *
	 * @param request the request of the handler
	 * @param thread the thread of the adapter, which ends what is claimed
	 */
	record Unclaimed(HandlerRequest request, Thread thread) {

	}

}
