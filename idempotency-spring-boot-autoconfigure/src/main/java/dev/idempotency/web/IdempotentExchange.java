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

import java.util.ArrayList;
import java.util.List;

import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.method.HandlerMethod;

import dev.idempotency.Account;
import dev.idempotency.engine.Answer;
import dev.idempotency.engine.Call;
import dev.idempotency.engine.Claim;
import dev.idempotency.engine.Execution;
import dev.idempotency.engine.HeaderField;
import dev.idempotency.engine.IdempotencyEngine;

/**
 * One request to a protected endpoint, from its key to its answer. Bound to the request
 * by the interceptor; each state is entered once, whatever is forwarded or included.
 */
final class IdempotentExchange {

	private static final String ATTRIBUTE = IdempotentExchange.class.getName();

	private enum State {

		KEYED, ENTERED, CLAIMED, AWAITING_ERROR_PAGE, ENDED

	}

	private final HandlerMethod handler;

	private final Endpoint endpoint;

	private final Account account;

	private final @Nullable String key;

	private State state = State.KEYED;

	private byte @Nullable [] fingerprint;

	private @Nullable Execution execution;

	private @Nullable Throwable failure;

	private List<HeaderField> failureHeaders = List.of();

	IdempotentExchange(HandlerMethod handler, Endpoint endpoint, Account account, @Nullable String key) {
		this.handler = handler;
		this.endpoint = endpoint;
		this.account = account;
		this.key = key;
	}

	void bindTo(ServletRequest request) {
		request.setAttribute(ATTRIBUTE, this);
	}

	static @Nullable IdempotentExchange boundTo(ServletRequest request) {
		return (IdempotentExchange) request.getAttribute(ATTRIBUTE);
	}

	HandlerMethod handler() {
		return this.handler;
	}

	Endpoint endpoint() {
		return this.endpoint;
	}

	Account account() {
		return this.account;
	}

	@Nullable String key() {
		return this.key;
	}

	/**
	 * Enter the handler's execution.
	 * @return {@code false} if it was entered before: an inner dispatch is part of it
	 */
	boolean enter() {
		if (this.state != State.KEYED) {
			return false;
		}
		this.state = State.ENTERED;
		return true;
	}

	void fingerprint(byte[] fingerprint) {
		this.fingerprint = fingerprint;
	}

	/**
	 * Claim the request, on the way to the handler.
	 * @throws ReplaySignal if it was answered before
	 */
	void claim(IdempotencyEngine engine, Call call) {
		Claim claim = engine.claim(call);
		if (claim instanceof Claim.Replayed replayed) {
			this.state = State.ENDED;
			throw new ReplaySignal(replayed.answer());
		}
		this.execution = (Execution) claim;
		this.state = State.CLAIMED;
	}

	boolean awaitsClaim() {
		return this.state == State.ENTERED;
	}

	byte[] requireFingerprint() {
		if (this.fingerprint == null) {
			throw new IllegalStateException("The request was not read");
		}
		return this.fingerprint;
	}

	/**
	 * Whether the handler was reached and has failed, so that what is written now is the
	 * answer to its failure.
	 */
	boolean hasFailed() {
		return this.state == State.CLAIMED && this.failure != null;
	}

	@Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * The handler has failed: roll back what it did.
	 */
	void fail(Throwable failure) {
		this.failure = failure;
		release();
	}

	void release() {
		if (this.execution != null) {
			this.execution.release();
		}
	}

	/**
	 * The error page will write the answer.
	 * @param headers what was set for it before
	 */
	void awaitErrorPage(List<HeaderField> headers) {
		this.failureHeaders = headers;
		this.state = State.AWAITING_ERROR_PAGE;
	}

	boolean isAwaitingErrorPage() {
		return this.state == State.AWAITING_ERROR_PAGE;
	}

	/**
	 * Store the answer together with the effects.
	 * @return another answer to send instead, or {@code null}
	 */
	@Nullable Answer finish(Answer answer) {
		return (this.execution != null) ? this.execution.finish(answer) : null;
	}

	/**
	 * Store the answer of a failed execution.
	 * @return another answer to send instead, or {@code null}
	 */
	@Nullable Answer recordFailure(Answer answer) {
		this.state = State.ENDED;
		if (this.execution == null) {
			return null;
		}
		List<HeaderField> all = new ArrayList<>(this.failureHeaders);
		all.addAll(answer.headers());
		return this.execution.recordFailure(new Answer(answer.status(), all, answer.body()));
	}

}
