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
package dev.idempotency.web.problem;

import java.util.Locale;

import org.springframework.http.HttpStatus;

import dev.idempotency.exception.AccountRequiredException;
import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.MalformedKeyException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.RequestStuckException;
import dev.idempotency.exception.RequestTooLargeException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.TooManyOpenRequestsException;

/**
 * The problem types. Statuses follow draft-ietf-httpapi-idempotency-key-header-07 section
 * 2.7 where it defines them.
 */
public enum ProblemType {

	MISSING_KEY(MissingKeyException.class, HttpStatus.BAD_REQUEST, "Idempotency key missing"),

	MALFORMED_KEY(MalformedKeyException.class, HttpStatus.BAD_REQUEST, "Idempotency key malformed"),

	ACCOUNT_REQUIRED(AccountRequiredException.class, HttpStatus.FORBIDDEN, "Account required"),

	KEY_REUSED(KeyReusedException.class, HttpStatus.UNPROCESSABLE_CONTENT, "Idempotency key reused"),

	IN_PROGRESS(RequestInProgressException.class, HttpStatus.CONFLICT, "Request in progress"),

	STUCK(RequestStuckException.class, HttpStatus.CONFLICT, "Request needs manual resolution"),

	TOO_MANY_OPEN_REQUESTS(TooManyOpenRequestsException.class, HttpStatus.TOO_MANY_REQUESTS, "Too many open requests"),

	LEASE_LOST(LeaseLostException.class, HttpStatus.CONFLICT, "Request in progress"),

	NOT_REPLAYABLE(NotReplayableException.class, HttpStatus.CONFLICT, "Response not replayable"),

	REQUEST_TOO_LARGE(RequestTooLargeException.class, HttpStatus.CONTENT_TOO_LARGE, "Request too large"),

	INTERRUPTED(RequestInterruptedException.class, HttpStatus.SERVICE_UNAVAILABLE, "Request interrupted"),

	STORE_UNAVAILABLE(StoreUnavailableException.class, HttpStatus.SERVICE_UNAVAILABLE, "Idempotency store unavailable");

	private final Class<? extends IdempotencyException> exception;

	private final HttpStatus status;

	private final String title;

	ProblemType(Class<? extends IdempotencyException> exception, HttpStatus status, String title) {
		this.exception = exception;
		this.status = status;
		this.title = title;
	}

	public static ProblemType of(IdempotencyException exception) {
		for (ProblemType type : values()) {
			if (type.exception.isInstance(exception)) {
				return type;
			}
		}
		throw new IllegalArgumentException("No problem type for " + exception.getClass().getName(), exception);
	}

	/**
	 * Returns the type's URI.
	 * @param base the start of the URIs of all types
	 */
	public String uri(String base) {
		return base + typeName();
	}

	/**
	 * Returns the last part of the type's URI.
	 */
	public String typeName() {
		String name = (this == LEASE_LOST) ? IN_PROGRESS.name() : name();
		return name.toLowerCase(Locale.ROOT).replace('_', '-');
	}

	public HttpStatus status() {
		return this.status;
	}

	public String title() {
		return this.title;
	}

	/**
	 * Returns whether the same request with the same key may succeed later.
	 */
	public boolean isRetryable() {
		return this == IN_PROGRESS || this == TOO_MANY_OPEN_REQUESTS || this == INTERRUPTED
				|| this == STORE_UNAVAILABLE;
	}

}
