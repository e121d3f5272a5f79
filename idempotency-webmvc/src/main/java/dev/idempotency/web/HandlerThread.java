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

import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.engine.transaction.ThreadWatch;

/**
 * The thread that runs a protected handler. The only transaction that it may keep open is
 * that of the answer; when it leaves, none is open.
 */
final class HandlerThread {

	private final ThreadGuard guard;

	private final IdempotentExchange exchange;

	private ThreadWatch watch;

	HandlerThread(ThreadGuard guard, IdempotentExchange exchange) {
		this.guard = guard;
		this.exchange = exchange;
		this.watch = guard.watch(exchange.delivery().handlerName());
	}

	/**
	 * Fails if the answer cannot be stored: the request was refused, continues on another
	 * thread, or has left a transaction open that is not that of the answer.
	 */
	void requireSound(AsyncSupport request) {
		this.exchange.rules().requireKept();
		request.requireNotStarted();
		if (this.watch.endLeaked(this.exchange.run().transaction())) {
			throw this.exchange.rules().leftTransactionOpen();
		}
	}

	/**
	 * Releases the thread until the dispatch with the result. A refusal has to wait for
	 * that dispatch, too, since the container is already waiting for it.
	 * @param headers the headers that the handler has set until now
	 */
	void suspend(List<HeaderField> headers) {
		this.exchange.suspend(headers);
		if (this.watch.endLeaked(null)) {
			this.exchange.rules().leftTransactionOpen();
		}
	}

	/**
	 * Rolls back the effects, the innermost transaction first: its end resumes the one
	 * that it has suspended.
	 */
	void fail(Throwable failure) {
		this.watch.endLeaked(this.exchange.run().transaction());
		this.exchange.fail(failure);
	}

	/**
	 * Leaves the thread to the interceptors, with the transaction of the answer open.
	 */
	void pause() {
		this.watch.pause();
	}

	/**
	 * Works for the request again, after a pause.
	 */
	void resume() {
		this.watch = this.guard.watch(this.exchange.delivery().handlerName());
	}

	void end() {
		this.watch.end();
	}

}
