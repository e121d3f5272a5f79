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
package dev.idempotency.account;

import dev.idempotency.exception.SenderRefusedException;

/**
 * Runs work as an account that has sent a request earlier. The completer uses it to
 * complete unfinished requests. Declared as a bean it replaces the default, which acts as
 * the sender did or not at all: only for a user of Spring Security's
 * {@code UserDetailsService} who was authenticated by own credentials, who is still the
 * same user, and who has exactly the authorities of then.
 * <p>
 * The security of the request itself is not evaluated again: servlet filters do not run.
 * Method security is. For the bearers of tokens there is
 * {@code idempotency.completer.authority=stored}; an application that can do more, such
 * as asking the issuer, declares a bean. No credentials are stored, so none are available
 * here.
 */
@FunctionalInterface
public interface AccountRunner {

	/**
	 * Returns whether requests of a sender are stored, so that the completer may try
	 * them. Called on the thread of the request, and must not block.
	 * @param sender the sender
	 * @return {@code true} unless overridden; for {@code false} only the sender is
	 * stored, so that {@link #run} can give operators the reason
	 */
	default boolean supports(Sender sender) {
		return true;
	}

	/**
	 * Checks that a sender may still act, and runs work as that sender on the current
	 * thread, with the authority that the sender had. Everything bound to the thread for
	 * it is removed before this returns.
	 * @param sender the sender: the account, as the {@link AccountResolver} gave it to
	 * the request, and how it was authenticated
	 * @param work the work
	 * @throws SenderRefusedException if the completer must not act for this sender: the
	 * request is stuck at once, with the reason, until its sender repeats it
	 * @throws Exception if the sender cannot be checked now, which is tried again, and
	 * the work has not run; or the exception of the work
	 */
	void run(Sender sender, Work work) throws Exception;

	/**
	 * Work done as a sender.
	 */
	@FunctionalInterface
	interface Work {

		/**
		 * Runs the work.
		 * @throws Exception if it fails
		 */
		void run() throws Exception;

	}

}
