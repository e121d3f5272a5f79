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
 * Signals that the first delivery of the request did not complete and the request needs
 * manual resolution. Sending it again changes nothing until an operator has resolved it.
 * Over HTTP: 409 {@code stuck}, without {@code Retry-After}.
 */
public final class RequestStuckException extends IdempotencyException {

	/**
	 * Creates the exception.
	 */
	public RequestStuckException() {
		super("The request with this idempotency key was interrupted and needs manual resolution. "
				+ "Do not send it again with another key: contact the operator of this service.", null);
	}

}
