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
package dev.idempotency.exception;

import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Replay;

/**
 * Signals that the request was executed and its response cannot be replayed: it was over
 * the size limit, it is not stored ({@link Replay#NONE}), or it cannot be decoded. Over
 * HTTP: 409 {@code not-replayable}.
 */
public final class NotReplayableException extends IdempotencyException {

	/**
	 * Creates the exception.
	 * @param cause the failure of decoding, or {@code null}
	 */
	public NotReplayableException(@Nullable Throwable cause) {
		super("The request with this idempotency key was executed, but its response cannot be replayed.", cause);
	}

}
