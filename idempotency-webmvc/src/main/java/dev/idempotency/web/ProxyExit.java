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

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.idempotency.engine.codec.Answer;

/**
 * The exception with which a request has left the proxy of its controller: that of the
 * handler, or a replay or a refusal instead of it. Advice in front of the claim may have
 * answered it by calling the handler again, or by returning or throwing something else.
 */
final class ProxyExit {

	private @Nullable Throwable exception;

	/**
	 * The proxy was left with an exception.
	 */
	void leave(Throwable exception) {
		this.exception = exception;
	}

	/**
	 * A request that was refused before is claimed: advice has retried it.
	 */
	void clear() {
		this.exception = null;
	}

	/**
	 * Throws the exception, so that the handler is not called again within its request.
	 */
	void rethrow() throws Throwable {
		if (this.exception != null) {
			throw this.exception;
		}
	}

	/**
	 * Throws the refusal of a request that advice has answered with a result.
	 */
	void requireNoRefusal() {
		if (this.exception instanceof RuntimeException refusal) {
			throw refusal;
		}
	}

	/**
	 * The stored answer that was found instead of calling the handler.
	 */
	Optional<Answer> replay() {
		return (this.exception instanceof ReplaySignal signal) ? Optional.of(signal.answer()) : Optional.empty();
	}

}
