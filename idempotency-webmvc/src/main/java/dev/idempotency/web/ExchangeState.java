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

import org.jspecify.annotations.Nullable;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.Execution.Reply;
import dev.idempotency.engine.observation.StageObserver.ActiveStage;
import dev.idempotency.web.fingerprint.RequestReader.RequestContent;

/**
 * The states of an exchange. A state answers the events that it lists; all others leave
 * it as it is, such as those of a dispatch within the handler, or of a request without a
 * key, which runs unprotected in {@link Read}. <pre>
 * BOUND     enter           ENTERED
 * ENTERED   read            Read
 * Read      claimed         Running
 *           replayed        REPLAYED
 * Running   finish          ENDED
 *           fail, reject    Failed
 * Failed    awaitErrorPage  Failed, and the error page writes the answer
 *           storeFailure, endUnanswered
 *                           ENDED
 * Read, Running, REPLAYED
 *           suspend         Suspended
 * Suspended resume          Read, Running, REPLAYED
 *           fail, reject    Failed, where it was Running
 * </pre>
 */
sealed interface ExchangeState {

	/**
	 * Suspends the exchange: the result comes from another thread.
	 */
	default ExchangeState suspend(List<HeaderField> headers) {
		return this;
	}

	/**
	 * Reacts to an exception of the handler.
	 */
	default ExchangeState fail(Throwable failure) {
		return this;
	}

	/**
	 * Rejects the answer that the handler has returned: its effects must not be kept.
	 */
	default ExchangeState reject() {
		return this;
	}

	default boolean isReached() {
		return true;
	}

	/**
	 * Lets the current thread work for the execution until it closes the result.
	 */
	default ActiveStage.Scope enterThread() {
		return ActiveStage.Scope.NONE;
	}

	/**
	 * The states that know nothing but their name.
	 */
	enum Plain implements ExchangeState {

		/**
		 * The interceptor has accepted the request.
		 */
		BOUND,

		/**
		 * The adapter was reached, and reads the request.
		 */
		ENTERED,

		/**
		 * Another delivery had been answered before: the handler was not reached. A
		 * suspending function is called on the way to its result, which is the replay
		 * then.
		 */
		REPLAYED,

		/**
		 * The handler was reached, and its execution is over.
		 */
		ENDED;

		@Override
		public ExchangeState suspend(List<HeaderField> headers) {
			return (this == REPLAYED) ? new Suspended(this, headers) : this;
		}

		@Override
		public boolean isReached() {
			return this == ENDED;
		}

	}

	/**
	 * The request was read and is on the way to its handler.
	 *
	 * @param content its content
	 * @param thread the thread of the adapter, which ends what is claimed
	 */
	record Read(RequestContent content, Thread thread) implements ExchangeState {

		@Override
		public ExchangeState suspend(List<HeaderField> headers) {
			return new Suspended(this, headers);
		}

		@Override
		public boolean isReached() {
			return false;
		}

	}

	/**
	 * The request was claimed and its handler runs.
	 *
	 * @param execution the claim
	 */
	record Running(Execution execution) implements ExchangeState {

		@Override
		public ExchangeState suspend(List<HeaderField> headers) {
			this.execution.leaveThread();
			return new Suspended(this, headers);
		}

		@Override
		public ExchangeState fail(Throwable failure) {
			this.execution.failed(failure);
			return new Failed(this.execution, failure, null);
		}

		@Override
		public ExchangeState reject() {
			this.execution.release();
			return new Failed(this.execution, null, null);
		}

		@Override
		public ActiveStage.Scope enterThread() {
			this.execution.enterThread();
			ActiveStage.Scope scope = this.execution.openScope();
			return () -> {
				scope.close();
				this.execution.leaveThread();
			};
		}

	}

	/**
	 * The handler's result comes from another thread, and is written by a later dispatch.
	 *
	 * @param before the state that the later dispatch resumes
	 * @param headers the headers that the handler has set until now
	 */
	record Suspended(ExchangeState before, List<HeaderField> headers) implements ExchangeState {

		@Override
		public ExchangeState fail(Throwable failure) {
			return this.before.fail(failure);
		}

		@Override
		public ExchangeState reject() {
			return this.before.reject();
		}

		@Override
		public boolean isReached() {
			return this.before.isReached();
		}

		@Override
		public ActiveStage.Scope enterThread() {
			return this.before.enterThread();
		}

	}

	/**
	 * The handler has failed: its effects are rolled back, and the answer is not written
	 * yet.
	 *
	 * @param execution the released claim
	 * @param failure its exception, {@code null} if it has returned a rejected answer or
	 * called {@code sendError}
	 * @param errorPage the headers that were set before the error page, which writes the
	 * answer; {@code null} if that is not known yet
	 */
	record Failed(Execution execution, @Nullable Throwable failure,
			@Nullable List<HeaderField> errorPage) implements ExchangeState {

		@Override
		public ExchangeState fail(Throwable later) {
			if (this.errorPage != null) {
				return this;
			}
			this.execution.failed(later);
			return new Failed(this.execution, later, null);
		}

		Failed awaitErrorPage(List<HeaderField> headers) {
			return (this.errorPage != null) ? this : new Failed(this.execution, this.failure, headers);
		}

		/**
		 * Stores the answer to the failure.
		 * @return it, or the answer of another delivery
		 */
		Reply store(Answer answer) {
			if (this.errorPage == null) {
				return this.execution.recordFailure(answer);
			}
			List<HeaderField> all = new ArrayList<>(this.errorPage);
			all.addAll(answer.headers());
			return this.execution.recordFailure(new Answer(answer.status(), all, answer.body(), answer.committed()));
		}

	}

}
