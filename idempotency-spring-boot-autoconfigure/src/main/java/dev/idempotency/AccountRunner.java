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
package dev.idempotency;

/**
 * Runs work as an account that has sent a request before and is not here now. The
 * completer brings unfinished requests to their end with it. Declared as a bean it
 * replaces the default, which loads the user of that name from Spring Security's
 * {@code UserDetailsService} and gives the thread the authorities that this user has now.
 * <p>
 * An application that has an {@link AccountResolver} of its own, or Spring Security
 * without a {@code UserDetailsService}, declares one; without it requests are completed
 * by their senders alone. No credentials are stored, and none are at hand here.
 */
@FunctionalInterface
public interface AccountRunner {

	/**
	 * Check that an account may still act, and run work as it on the current thread. What
	 * was bound to the thread for it is gone when this returns.
	 * @param account the account, as the {@link AccountResolver} gave it to the request
	 * @param work the work
	 * @throws Exception if the account does not exist or may not act any more, in which
	 * case the work has not run, or what the work throws
	 */
	void run(Account account, Work work) throws Exception;

	/**
	 * What is done as an account.
	 */
	@FunctionalInterface
	interface Work {

		/**
		 * Do it.
		 * @throws Exception if it fails
		 */
		void run() throws Exception;

	}

}
