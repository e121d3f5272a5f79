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
package dev.idempotency.web;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.web.method.HandlerMethod;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.web.policy.Endpoint;

/**
 * A request to a protected endpoint, as accepted by the interceptor.
 *
 * @param handler the handler
 * @param endpoint the settings of its annotation
 * @param account the account that the key belongs to
 * @param sender the caller as described for the completer when the request was accepted,
 * {@code null} if it is not completed without its caller
 * @param key the key of the request, {@code null} if the handler's arguments hold it or
 * the completer repeats the request
 * @param maxWait the time to wait while another delivery is running, zero for none,
 * {@code null} for the configured time
 * @param recovery the claim that the completer has made, {@code null} if the request
 * comes from its sender
 */
record Delivery(HandlerMethod handler, Endpoint endpoint, Account account, @Nullable Sender sender,
		@Nullable String key, @Nullable Duration maxWait, @Nullable Recovery recovery) {

	/**
	 * Returns the name of the handler in messages.
	 */
	String handlerName() {
		return this.handler.getShortLogMessage();
	}

}
