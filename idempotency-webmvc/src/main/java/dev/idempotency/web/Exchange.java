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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;
import org.springframework.transaction.TransactionStatus;
import org.springframework.util.Assert;

import dev.idempotency.OutcomePolicy.Outcome;
import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.Execution;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.ReturnTypes;

/**
 * One request to a protected endpoint, from the interceptor to its response, through any
 * number of dispatches: whose it is, its key, and how far it has come. A method that is
 * not listed for the current state changes nothing, so that a dispatch within the handler
 * does not end its run, and a request without a key runs unprotected. <pre>
 * ACCEPTED  prepare         ACCEPTED, and the request can be claimed
 *           claimed         Running
 *           leftProxy       ACCEPTED, with a replay or a refusal
 * Running   finish          ENDED
 *           fail, reject    Failed
 * Failed    awaitErrorPage  Failed, and the error page writes the response
 *           storeFailure, endUnstored, abandon
 *                           ENDED
 * </pre>
 */
final class Exchange {

	private static final Log logger = LogFactory.getLog(Exchange.class);

	private static final String ATTRIBUTE = Exchange.class.getName();

	/**
	 * In place of an exchange: the request is known not to be protected.
	 */
	private static final Object UNPROTECTED = new Object();

	private final Endpoint endpoint;

	private final Account account;

	private final @Nullable Sender sender;

	private final @Nullable String key;

	private final @Nullable Duration maxWait;

	private final @Nullable Recovery recovery;

	/**
	 * The first violation of a rule: a handler may catch the exception, and work for the
	 * request on another thread may detect the reason.
	 */
	private volatile @Nullable InvalidIdempotentException violation;

	private boolean entered;

	/**
	 * The request of the handler, until it is claimed.
	 */
	private @Nullable HandlerRequest unclaimed;

	/**
	 * The thread of the adapter, which ends what is claimed.
	 */
	private @Nullable Thread thread;

	private @Nullable HttpServletResponse response;

	/**
	 * The stored response that was found instead of calling the handler.
	 */
	private @Nullable StoredResponse replay;

	/**
	 * The exception with which the request has left the proxy of its controller. Advice
	 * in front of the claim may have called the handler again, or returned or thrown
	 * something else.
	 */
	private @Nullable Throwable exit;

	/**
	 * Read by the thread of a callable while the thread of the request leaves the run.
	 */
	private volatile State state = Plain.ACCEPTED;

	private IdempotencyHandlerAdapter.@Nullable CapturedRun withoutView;

	private List<HeaderField> headersOfFailure = List.of();

	/**
	 * The headers that were set before the result was left to another thread, until a
	 * dispatch resumes the request.
	 */
	private volatile @Nullable List<HeaderField> suspended;

	private volatile boolean asynchronous;

	private Exchange(Endpoint endpoint, Account account, @Nullable Sender sender, @Nullable String key,
			@Nullable Duration maxWait, @Nullable Recovery recovery) {
		this.endpoint = endpoint;
		this.account = account;
		this.sender = sender;
		this.key = key;
		this.maxWait = maxWait;
		this.recovery = recovery;
	}

	/**
	 * Creates the exchange of a request that comes from its sender.
	 * @param endpoint the endpoint
	 * @param account the account that the key belongs to
	 * @param sender the caller as described for the completer when the request was
	 * accepted, {@code null} if it is not completed without its caller
	 * @param key the key of the request, {@code null} if the handler's arguments hold it
	 * @param maxWait the time to wait while another delivery is running, zero for none,
	 * {@code null} for the configured time
	 */
	static Exchange ofSender(Endpoint endpoint, Account account, @Nullable Sender sender, @Nullable String key,
			@Nullable Duration maxWait) {
		return new Exchange(endpoint, account, sender, key, maxWait, null);
	}

	/**
	 * Creates the exchange of a request that the completer repeats.
	 * @param endpoint the endpoint
	 * @param account the account of its sender
	 * @param recovery the claim that the completer has made, which has its identity
	 */
	static Exchange ofCompleter(Endpoint endpoint, Account account, Recovery recovery) {
		return new Exchange(endpoint, account, null, null, null, recovery);
	}

	/**
	 * Binds the exchange to its request.
	 */
	void bindTo(ServletRequest request) {
		this.asynchronous = request.getDispatcherType() == DispatcherType.ASYNC;
		request.setAttribute(ATTRIBUTE, this);
	}

	/**
	 * Notes that a request, or one within a protected request, is not protected.
	 */
	static void bindNone(ServletRequest request) {
		request.setAttribute(ATTRIBUTE, UNPROTECTED);
	}

	static @Nullable Exchange boundTo(ServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof Exchange exchange) ? exchange : null;
	}

	/**
	 * Returns whether it is known of a request whether it is protected.
	 */
	static boolean isDecided(ServletRequest request) {
		return request.getAttribute(ATTRIBUTE) != null;
	}

	/**
	 * Returns the name of the handler in messages.
	 */
	String handlerName() {
		return this.endpoint.handlerName();
	}

	Endpoint endpoint() {
		return this.endpoint;
	}

	Account account() {
		return this.account;
	}

	@Nullable Sender sender() {
		return this.sender;
	}

	@Nullable String key() {
		return this.key;
	}

	@Nullable Duration maxWait() {
		return this.maxWait;
	}

	@Nullable Recovery recovery() {
		return this.recovery;
	}

	HandlerViolations violations() {
		return new HandlerViolations(this);
	}

	/**
	 * Refuses to protect the request: in any case its response is an error and is not
	 * stored.
	 * @param problem the predicate of the message, whose subject is the handler
	 * @param action the change that its developer has to make
	 * @return the first reason, to be thrown
	 */
	InvalidIdempotentException refuse(String problem, String action) {
		return refuse(new InvalidIdempotentException(
				"@Idempotent on " + handlerName() + " (mode " + this.endpoint.operation().mode() + ") " + problem,
				action));
	}

	private InvalidIdempotentException refuse(InvalidIdempotentException reason) {
		InvalidIdempotentException before = this.violation;
		if (before != null) {
			return before;
		}
		this.violation = reason;
		LogEvent.HANDLER_REFUSED.log(logger, String.valueOf(reason.getMessage()));
		return reason;
	}

	/**
	 * Fails if the request has been refused, even if the handler has caught the
	 * exception.
	 */
	void requireNotRefused() {
		InvalidIdempotentException reason = this.violation;
		if (reason != null) {
			throw reason;
		}
	}

	/**
	 * Checks the return value of a handler, before Spring MVC begins to wait for it or
	 * subscribes to it.
	 * @param result the return value
	 */
	void requireStorable(@Nullable Object result) {
		Object value = (result instanceof HttpEntity<?> entity) ? entity.getBody() : result;
		if (value == null || this.endpoint.streaming()) {
			return;
		}
		if (ReturnTypes.isWrittenLater(value)) {
			if (!mayAnswerLater()) {
				throw violations().returnsAsynchronous(value);
			}
			if (ReturnTypes.isStream(value)) {
				throw violations().returnsStream(value);
			}
		}
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
		this.unclaimed = request;
		this.thread = Thread.currentThread();
	}

	/**
	 * Returns the request of the handler if it is still to be claimed, {@code null} if
	 * the handler was reached before.
	 * @throws dev.idempotency.exception.InvalidIdempotentException if the adapter was
	 * bypassed
	 * @throws Throwable the exception that has left the proxy before: advice that retries
	 * does not call the handler twice
	 */
	@Nullable HandlerRequest unclaimed() throws Throwable {
		if (!this.entered) {
			throw violations().byAnotherAdapter();
		}
		if (this.unclaimed == null && this.exit != null) {
			throw this.exit;
		}
		return this.unclaimed;
	}

	/**
	 * Fails on another thread than the adapter's, which ends what is claimed.
	 */
	void requireThread() {
		if (this.thread != Thread.currentThread()) {
			throw violations().onAnotherThread();
		}
	}

	/**
	 * Begins the run of the handler.
	 */
	void claimed(Execution execution) {
		this.exit = null;
		this.unclaimed = null;
		this.state = new Running(execution);
	}

	/**
	 * Ends the request with a stored response.
	 * @return the signal to throw, which leaves the controller's proxy
	 */
	ReplaySignal replayed(StoredResponse response) {
		this.unclaimed = null;
		this.replay = response;
		return new ReplaySignal();
	}

	/**
	 * Notes that the request has left the proxy of its controller without a result.
	 */
	void leftProxy(Throwable exception) {
		this.exit = exception;
	}

	/**
	 * Returns the stored response to send, empty unless the request is a duplicate.
	 */
	Optional<StoredResponse> replay() {
		return Optional.ofNullable(this.replay);
	}

	/**
	 * Throws the refusal of a request that advice has answered with a result.
	 */
	void requireNoRefusal() {
		if (this.exit instanceof RuntimeException refusal && !isReached()) {
			throw refusal;
		}
	}

	/**
	 * Returns whether the handler was reached under a claim.
	 */
	boolean isReached() {
		return this.state != Plain.ACCEPTED;
	}

	/**
	 * Returns whether the request was answered, or may be executed again.
	 */
	boolean isOver() {
		return this.state == Plain.ENDED || this.replay != null;
	}

	/**
	 * Returns the transaction that will hold the response, {@code null} if none is open.
	 */
	@Nullable TransactionStatus transaction() {
		return (this.state instanceof Running running) ? running.execution().transaction() : null;
	}

	/**
	 * Returns whether the handler may leave its result to another thread: its own thread
	 * has no transaction to keep, or the request carries no key.
	 */
	boolean mayAnswerLater() {
		return !isReached() || this.endpoint.commits() == EffectCommits.FREELY;
	}

	/**
	 * Lets the current thread, which is not the claiming one, work for the handler and be
	 * observed as its run.
	 * @return the scope, to be closed by the same thread
	 */
	Scope enterThread() {
		if (!(this.state instanceof Running running)) {
			return Scope.NONE;
		}
		Execution execution = running.execution();
		execution.enterThread();
		Scope scope = execution.openScope();
		return () -> {
			scope.close();
			execution.leaveThread();
		};
	}

	/**
	 * Suspends the request: the handler's result comes from another thread, and is
	 * written by a later dispatch.
	 * @param headers the headers that the handler has set until now
	 */
	void suspend(List<HeaderField> headers) {
		this.asynchronous = true;
		if (this.state instanceof Running running) {
			running.execution().leaveThread();
		}
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
	 * Leaves the rest to the interceptors, whose last one renders the view.
	 */
	void awaitView(IdempotencyHandlerAdapter.CapturedRun run) {
		this.withoutView = run;
	}

	/**
	 * Takes over the run whose view is still to be rendered, {@code null} if there is
	 * none.
	 */
	IdempotencyHandlerAdapter.@Nullable CapturedRun takeWithoutView() {
		IdempotencyHandlerAdapter.CapturedRun run = this.withoutView;
		this.withoutView = null;
		return run;
	}

	/**
	 * Stores the response together with the effects.
	 * @param answer the response of this request
	 * @return the response of another delivery, to be sent instead
	 */
	Optional<StoredResponse> finish(StoredResponse answer) {
		if (!(this.state instanceof Running running)) {
			return Optional.empty();
		}
		Optional<StoredResponse> other = running.execution().finish(answer);
		this.state = Plain.ENDED;
		return other;
	}

	/**
	 * Rolls back the effects after the handler, or its view, has failed. A refusal by the
	 * engine among the causes is a refusal of the request: the application does not
	 * answer it.
	 */
	void fail(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof InvalidIdempotentException reason) {
				refuse(reason);
			}
		}
		this.suspended = null;
		Execution execution = (this.state instanceof Running running) ? running.execution()
				: (this.state instanceof Failed failed && failed.errorPage() == null) ? failed.execution() : null;
		if (execution != null) {
			execution.failed(failure);
			this.state = new Failed(execution, failure, null);
		}
	}

	/**
	 * Keeps the headers that were set when a handler or its view failed: they are part of
	 * the response to the failure, as without the library.
	 */
	void keepHeadersOfFailure(List<HeaderField> headers) {
		this.headersOfFailure = headers;
	}

	List<HeaderField> headersOfFailure() {
		return this.headersOfFailure;
	}

	/**
	 * Rolls back the effects of a handler whose response revokes them.
	 */
	void reject() {
		if (this.state instanceof Running running) {
			running.execution().release();
			this.state = new Failed(running.execution(), null, null);
		}
	}

	/**
	 * Returns whether the response that is written now is the response to a failure.
	 */
	boolean hasFailed() {
		return this.state instanceof Failed failed && failed.errorPage() == null;
	}

	/**
	 * Returns the exception that the handler has failed with, {@code null} if there is
	 * none.
	 */
	@Nullable Throwable failure() {
		return (this.state instanceof Failed failed) ? failed.failure() : null;
	}

	/**
	 * Leaves the response to a failure to the error page.
	 * @param headers the headers that were set before
	 */
	void awaitErrorPage(List<HeaderField> headers) {
		if (this.state instanceof Failed failed && failed.errorPage() == null) {
			this.state = new Failed(failed.execution(), failed.failure(), headers);
		}
	}

	/**
	 * Returns whether the error page has to write the response.
	 */
	boolean isAwaitingErrorPage() {
		return this.state instanceof Failed failed && failed.errorPage() != null;
	}

	/**
	 * Stores the response to a failure.
	 * @param answer the response of this request
	 * @return the response of another delivery, to be sent instead
	 */
	Optional<StoredResponse> storeFailure(StoredResponse answer) {
		if (!(this.state instanceof Failed failed)) {
			return Optional.empty();
		}
		Optional<StoredResponse> other = failed.execution()
			.recordFailure(withEarlierHeaders(answer, failed.errorPage()));
		this.state = Plain.ENDED;
		return other;
	}

	private static StoredResponse withEarlierHeaders(StoredResponse answer, @Nullable List<HeaderField> earlier) {
		if (earlier == null) {
			return answer;
		}
		List<HeaderField> all = new ArrayList<>(earlier);
		all.addAll(answer.headers());
		return new StoredResponse(answer.status(), all, answer.body(), answer.writing());
	}

	/**
	 * Ends a failure whose response is not stored, so that a retry may run. What is done
	 * in phases is resumed by the caller alone, unless the response asks for a retry.
	 * @param status the status that the caller is told
	 */
	void endUnstored(int status) {
		if (this.state instanceof Failed failed) {
			endUnanswered(
					new Outcome(status, failed.failure()).invitesRetry() ? Resumption.ANYBODY : Resumption.SENDER);
		}
	}

	/**
	 * Ends the request without a response, if it has none yet.
	 */
	void abandon() {
		reject();
		endUnanswered(Resumption.ANYBODY);
	}

	private void endUnanswered(Resumption resumption) {
		if (this.state instanceof Failed failed) {
			failed.execution().endUnanswered(resumption);
			this.state = Plain.ENDED;
		}
	}

	/**
	 * Completes the request, as the container sees it. If no dispatch has resumed its
	 * result, it was answered by another component, such as a filter: that answer is not
	 * the handler's.
	 */
	void complete() {
		if (resume().isPresent()) {
			abandon();
		}
	}

	/**
	 * Ends the request: nothing writes the response to its failure any more. For an
	 * asynchronous request the container calls this before it shows the error page.
	 */
	void requestDestroyed() {
		if (!this.asynchronous && this.response != null) {
			endUnstored(this.response.getStatus());
		}
	}

	/**
	 * A signal that leaves the controller's proxy without invoking the controller. It is
	 * an exception and not a return value: code between the proxy and the adapter must
	 * not mistake it for the handler's result.
	 */
	static final class ReplaySignal extends RuntimeException {

		private ReplaySignal() {
			super("The stored response is replayed", null, false, false);
		}

	}

	private sealed interface State {

	}

	private enum Plain implements State {

		ACCEPTED, ENDED

	}

	private record Running(Execution execution) implements State {

	}

	/**
	 * The effects are rolled back, and the response is not written yet.
	 *
	 * @param execution the released claim
	 * @param failure the exception of the handler, {@code null} if it has returned a
	 * rejected response or called {@code sendError}
	 * @param errorPage the headers that were set before the error page, which writes the
	 * response; {@code null} if that is not known yet
	 */
	private record Failed(Execution execution, @Nullable Throwable failure,
			@Nullable List<HeaderField> errorPage) implements State {

	}

}
