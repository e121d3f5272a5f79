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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * The first reason for which a request cannot be protected. A handler may catch the
 * exception, and work for the request on another thread may detect the reason.
 */
final class Refusal {

	private static final Log logger = LogFactory.getLog(Refusal.class);

	private volatile @Nullable InvalidIdempotentException first;

	/**
	 * Keeps a reason, unless there is one.
	 * @return the first reason
	 */
	InvalidIdempotentException keep(InvalidIdempotentException reason) {
		InvalidIdempotentException before = this.first;
		if (before != null) {
			return before;
		}
		this.first = reason;
		LogEvent.HANDLER_REFUSED.log(logger, String.valueOf(reason.getMessage()));
		return reason;
	}

	/**
	 * Keeps the reason in an exception. The application does not answer a refusal by the
	 * engine.
	 */
	void keepCauseOf(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof InvalidIdempotentException refused) {
				keep(refused);
			}
		}
	}

	void requireNone() {
		InvalidIdempotentException reason = this.first;
		if (reason != null) {
			throw reason;
		}
	}

}
