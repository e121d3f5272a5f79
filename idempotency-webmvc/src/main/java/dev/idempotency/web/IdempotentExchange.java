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
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.execution.Call.EffectCommits;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.Execution.Reply;
import dev.idempotency.engine.observation.StageObserver.ActiveStage;
import dev.idempotency.web.ExchangeState.Failed;
import dev.idempotency.web.ExchangeState.Plain;
import dev.idempotency.web.ExchangeState.Read;
import dev.idempotency.web.ExchangeState.Running;
import dev.idempotency.web.ExchangeState.Suspended;
import dev.idempotency.web.fingerprint.RequestReader.RequestContent;
import dev.idempotency.web.recovery.HttpCommandRunner;

/**
 * One request to a protected endpoint, from its key to its answer. Bound to the request
 * by the interceptor, and notified of events by the parts that the request passes; each
 * state is entered once, regardless of forwards and includes.
 */
final class IdempotentExchange implements HttpCommandRunner.Exchange {

	private static final String ATTRIBUTE = IdempotentExchange.class.getName();

	private final Delivery delivery;

	/**
	 * Read by the thread of a callable while the thread of the request suspends it.
	 */
	private volatile ExchangeState state = Plain.BOUND;

	private final RunTimeRules rules;

	/**
	 * The exception with which the request has left the proxy of its controller: that of
	 * the handler, or a replay or a refusal instead of it. Advice in front of the claim
	 * may have answered it by calling the handler again, or by returning or throwing
	 * something else.
	 */
	private @Nullable Throwable exit;

	/**
	 * Set when the request came by an asynchronous dispatch, or when a dispatch has left
	 * the result to a later one.
	 */
	private volatile boolean asynchronous;

	private IdempotentExchange(Delivery delivery, boolean asynchronous) {
		this.delivery = delivery;
		this.asynchronous = asynchronous;
		this.rules = new RunTimeRules(delivery);
	}

	/**
	 * Begins the exchange of a request.
	 */
	public static void begin(ServletRequest request, Delivery delivery) {
		request.setAttribute(ATTRIBUTE,
				new IdempotentExchange(delivery, request.getDispatcherType() == DispatcherType.ASYNC));
	}

	public static @Nullable IdempotentExchange boundTo(ServletRequest request) {
		return (IdempotentExchange) request.getAttribute(ATTRIBUTE);
	}

	/**
	 * Makes a request within a protected one unprotected.
	 */
	public static void hideIn(ServletRequest inner) {
		inner.setAttribute(ATTRIBUTE, null);
	}

	public Delivery delivery() {
		return this.delivery;
	}

	public RunTimeRules rules() {
		return this.rules;
	}

	/**
	 * The adapter was reached.
	 * @return {@code false} if it was reached before: an inner dispatch is part of that
	 */
	public boolean enter() {
		if (this.state != Plain.BOUND) {
			return false;
		}
		this.state = Plain.ENTERED;
		return true;
	}

	/**
	 * The request was read, on the thread that runs the handler and ends its execution.
	 */
	public void read(RequestContent content) {
		if (this.state != Plain.ENTERED) {
			throw new IllegalStateException("The request was read before");
		}
		this.state = new Read(content, Thread.currentThread());
	}

	/**
	 * The request that is still to be claimed, {@code null} if the handler was reached
	 * before.
	 * @throws dev.idempotency.exception.InvalidIdempotentException if the adapter was
	 * bypassed
	 * @throws Throwable the exception that has left the proxy before: advice that retries
	 * does not call the handler twice
	 */
	public @Nullable Read unclaimed() throws Throwable {
		if (this.state == Plain.BOUND) {
			throw this.rules.byAnotherAdapter();
		}
		if (this.state instanceof Read read) {
			return read;
		}
		if (this.exit != null) {
			throw this.exit;
		}
		return null;
	}

	/**
	 * The request was claimed, and goes to its handler.
	 */
	public void claimed(Execution execution) {
		this.exit = null;
		this.state = new Running(execution);
	}

	/**
	 * The request was answered before, and does not go to its handler.
	 */
	public void replayed() {
		this.state = Plain.REPLAYED;
	}

	/**
	 * The request has left the proxy of its controller with an exception.
	 */
	public void leftProxy(Throwable exception) {
		this.exit = exception;
	}

	/**
	 * The stored answer that was found instead of calling the handler.
	 */
	public Optional<Answer> replay() {
		return (this.exit instanceof ReplaySignal signal) ? Optional.of(signal.answer()) : Optional.empty();
	}

	/**
	 * Throws the refusal of a request that advice has answered with a result.
	 */
	public void requireNoRefusal() {
		if (!isReached() && this.exit instanceof RuntimeException refusal) {
			throw refusal;
		}
	}

	@Override
	public boolean isReached() {
		return this.state.isReached();
	}

	/**
	 * Returns whether the request was answered, or may be executed again.
	 */
	public boolean isOver() {
		return this.state == Plain.ENDED || this.state == Plain.REPLAYED;
	}

	/**
	 * Returns whether the handler may leave its result to another thread: its own thread
	 * has no transaction to keep, or the request carries no key.
	 */
	public boolean mayAnswerLater() {
		return !isReached() || this.delivery.endpoint().commits() == EffectCommits.FREELY;
	}

	/**
	 * The transaction that will hold the answer, {@code null} if none is open.
	 */
	public @Nullable TransactionStatus transaction() {
		return (this.state instanceof Running running) ? running.execution().transaction() : null;
	}

	/**
	 * Lets the current thread, which is another one than that of the claim, work for the
	 * handler and be observed as its run.
	 * @return ends that, to be closed by the same thread
	 */
	public ActiveStage.Scope enterThread() {
		return this.state.enterThread();
	}

	/**
	 * The handler's result comes from another thread, and is written by a later dispatch.
	 * @param headers the headers that the handler has set until now
	 */
	public void suspend(List<HeaderField> headers) {
		this.asynchronous = true;
		this.state = this.state.suspend(headers);
	}

	/**
	 * The dispatch with the result.
	 * @return the headers that were set before, empty if no result is awaited
	 */
	public Optional<List<HeaderField>> resume() {
		if (!(this.state instanceof Suspended suspended)) {
			return Optional.empty();
		}
		this.state = suspended.before();
		return Optional.of(suspended.headers());
	}

	/**
	 * The dispatch with the result has failed before it was resumed: its result is not
	 * the answer.
	 */
	public void failSuspended(Throwable failure) {
		if (this.state instanceof Suspended) {
			fail(failure);
		}
	}

	/**
	 * The request is complete, as the container sees it. If no dispatch has resumed its
	 * result, it was answered by another component, such as a filter: that answer is not
	 * the handler's.
	 */
	public void complete() {
		if (this.state instanceof Suspended) {
			abandon();
		}
	}

	/**
	 * The request is over. If no error page has written the answer to its failure, a
	 * filter has: that answer is not the handler's. For an asynchronous request the
	 * container says so before it shows the error page.
	 */
	public void requestDestroyed() {
		if (!this.asynchronous) {
			endUnanswered();
		}
	}

	@Override
	public void abandon() {
		reject();
		endUnanswered();
	}

	/**
	 * The handler, or its view, has failed: its effects are rolled back.
	 */
	public void fail(Throwable failure) {
		this.rules.refuseFor(failure);
		this.state = this.state.fail(failure);
	}

	/**
	 * The handler has returned, with an answer that revokes its effects.
	 */
	public void reject() {
		this.state = this.state.reject();
	}

	/**
	 * Returns whether the handler was reached and has failed, so that what is written now
	 * is the answer to its failure.
	 */
	public boolean hasFailed() {
		return this.state instanceof Failed failed && failed.errorPage() == null;
	}

	/**
	 * The exception that the answer is to be written for, {@code null} if there is none.
	 */
	public @Nullable Throwable failure() {
		return (this.state instanceof Failed failed) ? failed.failure() : null;
	}

	/**
	 * The error page will write the answer to the failure.
	 * @param headers the headers that were set before
	 */
	public void awaitErrorPage(List<HeaderField> headers) {
		if (this.state instanceof Failed failed) {
			this.state = failed.awaitErrorPage(headers);
		}
	}

	@Override
	public boolean isAwaitingErrorPage() {
		return this.state instanceof Failed failed && failed.errorPage() != null;
	}

	/**
	 * Stores the answer together with the effects.
	 * @param answer the answer of this request
	 * @return the answer of another delivery, to be sent instead
	 */
	public Optional<Answer> finish(Answer answer) {
		if (!(this.state instanceof Running running)) {
			return Optional.empty();
		}
		Reply reply = running.execution().finish(answer);
		this.state = Plain.ENDED;
		return ofAnotherDelivery(reply);
	}

	/**
	 * Stores the answer to a failure.
	 * @param answer the answer of this request
	 * @return the answer of another delivery, to be sent instead
	 */
	public Optional<Answer> storeFailure(Answer answer) {
		if (!(this.state instanceof Failed failed)) {
			return Optional.empty();
		}
		Reply reply = failed.store(answer);
		this.state = Plain.ENDED;
		return ofAnotherDelivery(reply);
	}

	private static Optional<Answer> ofAnotherDelivery(Reply reply) {
		return (reply instanceof Claim.Replayed replayed) ? Optional.of(replayed.answer()) : Optional.empty();
	}

	/**
	 * A failure has no answer that is final, so that a retry may run.
	 */
	public void endUnanswered() {
		if (this.state instanceof Failed failed) {
			failed.execution().endUnanswered();
			this.state = Plain.ENDED;
		}
	}

}
