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
package dev.idempotency.benchmarks.app;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;

/**
 * Trusts the client, where authentication is not measured.
 */
@Component
@ConditionalOnBooleanProperty(name = HttpBasic.PROPERTY, havingValue = false, matchIfMissing = true)
class HeaderAccounts implements AccountResolver {

	static final String HEADER = "X-Account";

	@Override
	public @Nullable Account resolve() {
		var attributes = (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
		String account = attributes.getRequest().getHeader(HEADER);
		return (account != null) ? Account.of(account) : null;
	}

}
