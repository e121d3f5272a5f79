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
package dev.idempotency.web.recovery;

import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

import dev.idempotency.account.Account;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.web.endpoint.Endpoint;

/**
 * The data of a request that the completer repeats without key and credentials. It is
 * bound to the request.
 *
 * @param account the sender's account
 * @param recovery the claim that was made for it
 */
public record RecoveredRequest(Account account, Recovery recovery) {

	private static final String ATTRIBUTE = RecoveredRequest.class.getName();

	void bindTo(ServletRequest request) {
		request.setAttribute(ATTRIBUTE, this);
	}

	public static @Nullable RecoveredRequest boundTo(ServletRequest request) {
		return (RecoveredRequest) request.getAttribute(ATTRIBUTE);
	}

	/**
	 * Returns the account that the request belongs to.
	 * @param present the account that the application sees, {@code null} if it depends on
	 * data that only the original request had
	 */
	public Account requireAccount(@Nullable Account present) {
		if (present != null && !present.equals(this.account)) {
			throw new OtherAccountException();
		}
		return this.account;
	}

	/**
	 * Fails if a new mapping has led the request to a handler other than its own.
	 */
	public void requireOperation(Endpoint endpoint) {
		if (!endpoint.operation().name().equals(this.recovery.operation())) {
			throw new OtherOperationException();
		}
	}

	/**
	 * The application sees a caller other than the sender of the request.
	 */
	static final class OtherAccountException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		OtherAccountException() {
			super("The AccountResolver returned an account other than that of the request. "
					+ "Let the AccountRunner bind the data that the AccountResolver reads to the thread.");
		}

	}

	/**
	 * The request leads to an operation other than the one that it was stored for.
	 */
	static final class OtherOperationException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		OtherOperationException() {
			super("The stored request is mapped to another operation");
		}

	}

}
