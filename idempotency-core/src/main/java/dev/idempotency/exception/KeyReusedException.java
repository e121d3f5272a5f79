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

/**
 * Signals a key that was used for another request. Retrying does not help: a new request
 * needs a new key. Over HTTP: 422 {@code key-reused}.
 */
public final class KeyReusedException extends IdempotencyException {

	/**
	 * Creates an exception.
	 */
	public KeyReusedException() {
		super("The idempotency key was already used with a different request. "
				+ "Send the original request again to get its response, or use a new key for a new request.", null);
	}

}
