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
package dev.idempotency.autoconfigure.security;

import java.io.Serial;

import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;

/**
 * The authentication of a sender who cannot be loaded, with the authorities of then.
 */
final class StoredSender extends AbstractAuthenticationToken {

	@Serial
	private static final long serialVersionUID = 1L;

	private final transient Account account;

	StoredSender(Sender sender) {
		super(AuthorityUtils.createAuthorityList(sender.authorities()));
		this.account = sender.account();
		setAuthenticated(true);
	}

	Account account() {
		return this.account;
	}

	@Override
	public Object getCredentials() {
		return "";
	}

	@Override
	public Object getPrincipal() {
		return this.account.id();
	}

}
