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
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.Execution.Reply;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.web.recovery.HttpCommandRunner;

/**
 * The run of a handler under a claim, until its answer is stored or its effects are
 * rolled back. A method that is not listed for the current state changes nothing, so that
 * a dispatch within the handler does not end the run, and a request without a key runs
 * unprotected. <pre>
 * UNCLAIMED begin           Running
 * Running   finish          ENDED
 *           fail, reject    Failed
 * Failed    awaitErrorPage  Failed, and the error page writes the answer
 *           storeFailure, endUnanswered
 *                           ENDED
 * </pre>
 */
final class HandlerRun implements HttpCommandRunner.Exchange {

	/**
	 * Read by the thread of a callable while the thread of the request leaves the run.
	 */
	private volatile State state = Plain.UNCLAIMED;

	void begin(Execution execution) {
		this.state = new Running(execution);
	}

	@Override
	public boolean isReached() {
		return this.state != Plain.UNCLAIMED;
	}

	boolean hasEnded() {
		return this.state == Plain.ENDED;
	}

	/**
	 * Returns the transaction that will hold the answer, {@code null} if none is open.
	 */
	@Nullable TransactionStatus transaction() {
		return (this.state instanceof Running running) ? running.execution().transaction() : null;
	}

	/**
	 * Lets the current thread, which is not that of the claim, work for the handler and
	 * be observed as its run.
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
	 * Releases the current thread: the result of the handler comes from another one.
	 */
	void leaveThread() {
		if (this.state instanceof Running running) {
			running.execution().leaveThread();
		}
	}

	/**
	 * Stores the answer together with the effects.
	 * @param answer the answer of this request
	 * @return the answer of another delivery, to be sent instead
	 */
	Optional<Answer> finish(Answer answer) {
		if (!(this.state instanceof Running running)) {
			return Optional.empty();
		}
		Reply reply = running.execution().finish(answer);
		this.state = Plain.ENDED;
		return ofAnotherDelivery(reply);
	}

	/**
	 * Rolls back the effects after the handler, or its view, has failed.
	 */
	void fail(Throwable failure) {
		Execution execution = (this.state instanceof Running running) ? running.execution()
				: (this.state instanceof Failed failed && failed.errorPage() == null) ? failed.execution() : null;
		if (execution != null) {
			execution.failed(failure);
			this.state = new Failed(execution, failure, null);
		}
	}

	/**
	 * Rolls back the effects of a handler whose answer revokes them.
	 */
	void reject() {
		if (this.state instanceof Running running) {
			running.execution().release();
			this.state = new Failed(running.execution(), null, null);
		}
	}

	/**
	 * Returns whether the response that is written now is the answer to a failure.
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
	 * Leaves the answer to a failure to the error page.
	 * @param headers the headers that were set before
	 */
	void awaitErrorPage(List<HeaderField> headers) {
		if (this.state instanceof Failed failed && failed.errorPage() == null) {
			this.state = new Failed(failed.execution(), failed.failure(), headers);
		}
	}

	@Override
	public boolean isAwaitingErrorPage() {
		return this.state instanceof Failed failed && failed.errorPage() != null;
	}

	/**
	 * Stores the answer to a failure.
	 * @param answer the answer of this request
	 * @return the answer of another delivery, to be sent instead
	 */
	Optional<Answer> storeFailure(Answer answer) {
		if (!(this.state instanceof Failed failed)) {
			return Optional.empty();
		}
		Reply reply = failed.execution().recordFailure(withEarlierHeaders(answer, failed.errorPage()));
		this.state = Plain.ENDED;
		return ofAnotherDelivery(reply);
	}

	private static Answer withEarlierHeaders(Answer answer, @Nullable List<HeaderField> earlier) {
		if (earlier == null) {
			return answer;
		}
		List<HeaderField> all = new ArrayList<>(earlier);
		all.addAll(answer.headers());
		return new Answer(answer.status(), all, answer.body(), answer.writing());
	}

	private static Optional<Answer> ofAnotherDelivery(Reply reply) {
		return (reply instanceof Claim.Replayed replayed) ? Optional.of(replayed.answer()) : Optional.empty();
	}

	/**
	 * Ends a failure without a final answer, so that a retry may run.
	 */
	void endUnanswered() {
		if (this.state instanceof Failed failed) {
			failed.execution().endUnanswered();
			this.state = Plain.ENDED;
		}
	}

	@Override
	public void abandon() {
		reject();
		endUnanswered();
	}

	private sealed interface State {

	}

	private enum Plain implements State {

		UNCLAIMED, ENDED

	}

	private record Running(Execution execution) implements State {

	}

	/**
	 * The effects are rolled back, and the answer is not written yet.
	 *
	 * @param execution the released claim
	 * @param failure the exception of the handler, {@code null} if it has returned a
	 * rejected answer or called {@code sendError}
	 * @param errorPage the headers that were set before the error page, which writes the
	 * answer; {@code null} if that is not known yet
	 */
	private record Failed(Execution execution, @Nullable Throwable failure,
			@Nullable List<HeaderField> errorPage) implements State {

	}

}
