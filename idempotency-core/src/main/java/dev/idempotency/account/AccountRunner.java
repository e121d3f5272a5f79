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
 * complete unfinished requests. Declared as a bean it replaces the default, which acts
 * only for senders of the kind {@link Sender.Kind#USER}: it loads the user from Spring
 * Security's {@code UserDetailsService} and gives the thread the authorities that this
 * user had then and still has.
 * <p>
 * An application with other callers, such as the bearers of tokens, or Spring Security
 * without exactly one {@code UserDetailsService}, declares a bean; without it only
 * senders complete their requests. No credentials are stored, so none are available here.
 */
@FunctionalInterface
public interface AccountRunner {

	/**
	 * Checks that a sender may still act, and runs work as that sender on the current
	 * thread, with no authority that the sender did not have. Everything bound to the
	 * thread for it is removed before this returns.
	 * @param sender the sender: the account, as the {@link AccountResolver} gave it to
	 * the request, and how it was authenticated
	 * @param work the work
	 * @throws Exception if the sender does not exist, may no longer act, or cannot be
	 * established again (a {@link SenderRefusedException} gives operators the reason), in
	 * which case the work has not run; or the exception of the work
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
