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
package dev.idempotency.web.exchange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import jakarta.servlet.ServletRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;
import org.springframework.web.method.HandlerMethod;

import dev.idempotency.account.Account;
import dev.idempotency.engine.Call;
import dev.idempotency.engine.Call.Commits;
import dev.idempotency.engine.Claim;
import dev.idempotency.engine.Execution;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.Reply;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.codec.HeaderField;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.SenderSource;
import dev.idempotency.engine.observation.ActiveStage;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Recovery;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.request.HttpCommand;

/**
 * One request to a protected endpoint, from its key to its answer. Bound to the request
 * by the interceptor; each state is entered once, whatever is forwarded or included.
 */
public final class IdempotentExchange {

	private static final Log logger = LogFactory.getLog(IdempotentExchange.class);

	private static final String ATTRIBUTE = IdempotentExchange.class.getName();

	private enum State {

		KEYED, ENTERED, CLAIMED, ASYNC, AWAITING_ERROR_PAGE, ENDED

	}

	private final HandlerMethod handler;

	private final Endpoint endpoint;

	private final Account account;

	private final @Nullable String key;

	private final @Nullable Recovery recovery;

	private State state = State.KEYED;

	private byte @Nullable [] fingerprint;

	private @Nullable HttpCommand command;

	private @Nullable Execution execution;

	private @Nullable Throwable failure;

	private List<HeaderField> earlierHeaders = List.of();

	private @Nullable PendingView pendingView;

	private @Nullable Duration maxWait;

	private @Nullable Thread thread;

	private volatile @Nullable InvalidIdempotentException refusal;

	public IdempotentExchange(HandlerMethod handler, Endpoint endpoint, Account account, @Nullable String key) {
		this(handler, endpoint, account, key, null);
	}

	private IdempotentExchange(HandlerMethod handler, Endpoint endpoint, Account account, @Nullable String key,
			@Nullable Recovery recovery) {
		this.handler = handler;
		this.endpoint = endpoint;
		this.account = account;
		this.key = key;
		this.recovery = recovery;
	}

	/**
	 * An exchange that has its claim already, and needs no key.
	 */
	public static IdempotentExchange recovered(HandlerMethod handler, Endpoint endpoint, Account account,
			Recovery recovery) {
		return new IdempotentExchange(handler, endpoint, account, null, recovery);
	}

	public void bindTo(ServletRequest request) {
		request.setAttribute(ATTRIBUTE, this);
	}

	public static @Nullable IdempotentExchange boundTo(ServletRequest request) {
		return (IdempotentExchange) request.getAttribute(ATTRIBUTE);
	}

	/**
	 * Let a request with these attributes be none that is protected.
	 */
	public static void hideIn(Map<String, @Nullable Object> attributes) {
		attributes.put(ATTRIBUTE, null);
	}

	public static IdempotentExchange requireBoundTo(ServletRequest request) {
		IdempotentExchange exchange = boundTo(request);
		if (exchange == null) {
			throw new IllegalStateException("The request is not protected");
		}
		return exchange;
	}

	public HandlerMethod handler() {
		return this.handler;
	}

	public Endpoint endpoint() {
		return this.endpoint;
	}

	public Account account() {
		return this.account;
	}

	/**
	 * The claim that the completer has made for it.
	 * @return the claim, or {@code null} if this is a delivery by its sender
	 */
	public @Nullable Recovery recovery() {
		return this.recovery;
	}

	public @Nullable String key() {
		return this.key;
	}

	/**
	 * Enter the handler's execution.
	 * @return {@code false} if it was entered before: an inner dispatch is part of it
	 */
	public boolean enter() {
		if (this.state != State.KEYED) {
			return false;
		}
		this.state = State.ENTERED;
		this.thread = Thread.currentThread();
		return true;
	}

	/**
	 * Whether the current thread is the one that has entered the execution, and will end
	 * it.
	 */
	public boolean isOnItsThread() {
		return this.thread == Thread.currentThread();
	}

	/**
	 * The name of the handler in messages.
	 */
	public String handlerName() {
		return this.handler.getShortLogMessage();
	}

	/**
	 * Refuse to protect the request: whatever comes of it, its answer is an error and is
	 * not stored.
	 * @return the first refusal, to be thrown
	 */
	public InvalidIdempotentException refuse(InvalidIdempotentException reason) {
		InvalidIdempotentException first = this.refusal;
		if (first != null) {
			return first;
		}
		this.refusal = reason;
		LogEvent.HANDLER_REFUSED.log(logger, String.valueOf(reason.getMessage()));
		return reason;
	}

	public @Nullable InvalidIdempotentException refusal() {
		return this.refusal;
	}

	/**
	 * Fail if the request has been refused, even if the handler has caught the exception.
	 */
	public void requireNotRefused() {
		InvalidIdempotentException reason = this.refusal;
		if (reason != null) {
			throw reason;
		}
	}

	/**
	 * Whether the handler may leave its result to another thread: no transaction is kept
	 * on its own, or there is none because the request carries no key.
	 */
	public boolean mayAnswerLater() {
		return this.execution == null || this.endpoint.commits() == Commits.FREELY;
	}

	/**
	 * The transaction that will hold the answer, if one is open.
	 */
	public @Nullable TransactionStatus transaction() {
		return (this.execution != null) ? this.execution.transaction() : null;
	}

	public void read(byte[] fingerprint, @Nullable HttpCommand command) {
		this.fingerprint = fingerprint;
		this.command = command;
	}

	/**
	 * What has been read, as a call of the endpoint.
	 */
	public Call toCall(Identity identity, IdentityFactory identities, SenderSource senders) {
		if (this.fingerprint == null) {
			throw new IllegalStateException("The request was not read");
		}
		Command repeatable = (this.recovery == null && this.command != null)
				? new Command(senders.describe(this.account), HttpCommand.KIND, this.command.toBytes()) : null;
		Fingerprint complete = (this.recovery != null) ? Fingerprint.of(this.recovery.fingerprint())
				: identities.fingerprint(identity, this.endpoint.operation(), this.fingerprint);
		return new Call(this.endpoint.operation(), identity, complete, this.endpoint.commits(), repeatable,
				this.recovery);
	}

	/**
	 * Let the request wait while another delivery is running, whatever is configured for
	 * others.
	 * @param wait how long, zero for not at all
	 */
	public void waitAtMost(Duration wait) {
		this.maxWait = wait;
	}

	/**
	 * Claim the request, on the way to the handler.
	 * @throws ReplaySignal if it was answered before
	 */
	public void claim(IdempotencyEngine engine, Call call) {
		Claim claim = (this.maxWait != null) ? engine.claim(call, this.maxWait) : engine.claim(call);
		if (claim instanceof Claim.Replayed replayed) {
			this.state = State.ENDED;
			throw new ReplaySignal(replayed.answer());
		}
		this.execution = (Execution) claim;
		this.state = State.CLAIMED;
	}

	/**
	 * Whether the handler was reached.
	 */
	public boolean isClaimed() {
		return this.execution != null;
	}

	public boolean awaitsClaim() {
		return this.state == State.ENTERED;
	}

	/**
	 * The handler's result comes from another thread, and is written by a later dispatch.
	 * @param headers what the handler has set until now
	 */
	public void startAsync(List<HeaderField> headers) {
		this.earlierHeaders = headers;
		this.state = State.ASYNC;
		leaveThread();
	}

	boolean isAsyncStarted() {
		return this.state == State.ASYNC;
	}

	/**
	 * The dispatch with the result.
	 * @return {@code false} if none is awaited
	 */
	public boolean resume() {
		if (this.state != State.ASYNC) {
			return false;
		}
		this.state = State.CLAIMED;
		return true;
	}

	/**
	 * What was set on the response by an earlier dispatch, to be set again on this one's.
	 */
	public List<HeaderField> takeEarlierHeaders() {
		List<HeaderField> headers = this.earlierHeaders;
		this.earlierHeaders = List.of();
		return headers;
	}

	public void enterThread() {
		if (this.execution != null) {
			this.execution.enterThread();
		}
	}

	public void leaveThread() {
		if (this.execution != null) {
			this.execution.leaveThread();
		}
	}

	/**
	 * Let what the current thread does be observed as the run of the request.
	 */
	public ActiveStage.Scope openScope() {
		return (this.execution != null) ? this.execution.openScope() : ActiveStage.Scope.NONE;
	}

	/**
	 * Whether the handler was reached and has failed, so that what is written now is the
	 * answer to its failure.
	 */
	public boolean hasFailed() {
		return this.state == State.CLAIMED && this.failure != null;
	}

	public @Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * The handler has failed: roll back what it did. What the engine has refused to it is
	 * not the application's to answer.
	 */
	public void fail(Throwable failure) {
		this.failure = failure;
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof InvalidIdempotentException refused && this.refusal == null) {
				refuse(refused);
			}
		}
		if (this.execution != null) {
			this.execution.failed(failure);
		}
	}

	public void release() {
		if (this.execution != null) {
			this.execution.release();
		}
	}

	/**
	 * The handler has named a view, which the interceptors may still change.
	 */
	public void awaitView(PendingView view) {
		this.pendingView = view;
	}

	public @Nullable PendingView takePendingView() {
		PendingView pending = this.pendingView;
		this.pendingView = null;
		return pending;
	}

	public boolean isAwaitingView() {
		return this.pendingView != null;
	}

	/**
	 * Fail if the view is still to be rendered: it will not be.
	 */
	public void abandonView(Throwable failure) {
		PendingView pending = takePendingView();
		if (pending != null) {
			pending.discard();
			fail(failure);
		}
	}

	/**
	 * The error page will write the answer.
	 * @param headers what was set for it before
	 */
	public void awaitErrorPage(List<HeaderField> headers) {
		this.earlierHeaders = headers;
		this.state = State.AWAITING_ERROR_PAGE;
	}

	public boolean isAwaitingErrorPage() {
		return this.state == State.AWAITING_ERROR_PAGE;
	}

	/**
	 * Store the answer together with the effects.
	 * @return another answer to send instead, or {@code null}
	 */
	public @Nullable Answer finish(Answer answer) {
		return (this.execution != null) ? otherThanOwn(this.execution.finish(answer)) : null;
	}

	/**
	 * There is nobody left who could answer. Does nothing where an answer is stored.
	 */
	public void endUnanswered() {
		release();
		settleFailure(null);
	}

	/**
	 * End a failed execution.
	 * @param answer its answer, or {@code null} if that is not final and a retry may run
	 * @return another answer to send instead, or {@code null}
	 */
	public @Nullable Answer settleFailure(@Nullable Answer answer) {
		this.state = State.ENDED;
		if (this.execution == null) {
			return null;
		}
		if (answer == null) {
			this.execution.endUnanswered();
			return null;
		}
		List<HeaderField> all = new ArrayList<>(takeEarlierHeaders());
		all.addAll(answer.headers());
		return otherThanOwn(this.execution.recordFailure(new Answer(answer.status(), all, answer.body())));
	}

	private static @Nullable Answer otherThanOwn(Reply reply) {
		return (reply instanceof Claim.Replayed other) ? other.answer() : null;
	}

}
