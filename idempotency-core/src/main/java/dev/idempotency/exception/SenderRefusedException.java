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

import dev.idempotency.account.AccountRunner;

/**
 * Signals that an {@link AccountRunner} must not act for a sender. The request is stuck
 * until its sender repeats it. The message is stored with the unfinished request and
 * shown to operators; it must not quote the request or a credential.
 */
public final class SenderRefusedException extends RuntimeException {

	/**
	 * Creates the exception.
	 * @param reason the reason, and what to do, for operators
	 */
	public SenderRefusedException(String reason) {
		super(reason);
	}

	/**
	 * Creates the exception.
	 * @param reason the reason, and what to do, for operators
	 * @param cause the exception by which the sender was found to be unable to act; only
	 * its class is stored
	 */
	public SenderRefusedException(String reason, Throwable cause) {
		super(reason, cause);
	}

}
