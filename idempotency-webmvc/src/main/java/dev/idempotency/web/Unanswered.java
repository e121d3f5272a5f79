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

/**
 * A state in which the effects are rolled back and the answer is not written yet.
 */
sealed interface Unanswered extends ExchangeState {

	Execution execution();

	@Nullable Throwable failure();

	/**
	 * The answer to be stored.
	 */
	Answer complete(Answer answer);

	/**
	 * Stores the answer.
	 * @param answer the answer of this request
	 * @return it, or the answer of another delivery
	 */
	default Reply store(Answer answer) {
		return execution().recordFailure(complete(answer));
	}

	/**
	 * The handler has failed.
	 *
	 * @param execution the released claim
	 * @param failure its exception, {@code null} if it has returned a rejected answer
	 */
	record Failed(Execution execution, @Nullable Throwable failure) implements Unanswered {

		@Override
		public ExchangeState fail(Throwable later) {
			this.execution.failed(later);
			return new Failed(this.execution, later);
		}

		@Override
		public ExchangeState awaitErrorPage(List<HeaderField> headers) {
			return new AwaitingErrorPage(this.execution, this.failure, headers);
		}

		@Override
		public Answer complete(Answer answer) {
			return answer;
		}

	}

	/**
	 * The handler has failed, and the error page writes the answer.
	 *
	 * @param execution the released claim
	 * @param failure its exception, {@code null} if it has called {@code sendError}
	 * @param headers the headers that were set before
	 */
	record AwaitingErrorPage(Execution execution, @Nullable Throwable failure,
			List<HeaderField> headers) implements Unanswered {

		@Override
		public Answer complete(Answer answer) {
			List<HeaderField> all = new ArrayList<>(this.headers);
			all.addAll(answer.headers());
			return new Answer(answer.status(), all, answer.body());
		}

	}

}
