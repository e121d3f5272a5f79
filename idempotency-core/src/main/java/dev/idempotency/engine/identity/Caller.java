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
package dev.idempotency.engine.identity;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;

/**
 * The caller of a request, as known when the request was accepted. Whatever happens to
 * the thread's authentication later, the request belongs to this caller.
 *
 * @param account the account that the key belongs to
 * @param sender the description that is stored with a request that may be completed
 * without its caller
 */
public record Caller(Account account, Sender sender) {

	/**
	 * Creates a caller of whom only the account is known.
	 * @param account the account
	 * @return the caller
	 */
	public static Caller of(Account account) {
		return new Caller(account, Sender.of(account));
	}

}
