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

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.exception.AccountRequiredException;
import dev.idempotency.logging.LogEvent;

/**
 * The authenticated principal as account: its name, within the issuer that vouches for
 * it. A principal without a stable name is refused.
 */
final class PrincipalAccountResolver implements AccountResolver {

	private static final Log logger = LogFactory.getLog(PrincipalAccountResolver.class);

	/**
	 * Callers cannot make it grow: the application has a limited number of authentication
	 * classes.
	 */
	private final Set<Class<?>> refusedTypes = ConcurrentHashMap.newKeySet();

	private final TokenIssuers issuers;

	/**
	 * Creates a resolver.
	 * @param issuers knows who vouches for a principal
	 */
	public PrincipalAccountResolver(TokenIssuers issuers) {
		this.issuers = issuers;
	}

	@Override
	public @Nullable Account resolve() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		if (authentication == null || !authentication.isAuthenticated()
				|| authentication instanceof AnonymousAuthenticationToken) {
			return null;
		}
		String problem = PrincipalName.problem(authentication);
		if (problem != null) {
			throw refuse(authentication, problem);
		}
		Account account = Account.of(authentication.getName());
		String issuer = this.issuers.resolve(authentication);
		return issuer.isEmpty() ? account : account.withIssuer(issuer);
	}

	private AccountRequiredException refuse(Authentication authentication, String problem) {
		if (this.refusedTypes.add(authentication.getClass())) {
			LogEvent.NAMELESS_REFUSED.log(logger,
					"A caller of an idempotent operation was refused, because " + problem
							+ ". Declare an AccountResolver bean that returns Account.of(<a stable id of the caller>), "
							+ "or let the principal implement java.security.Principal. "
							+ "This is logged once for each class of authentication.");
		}
		return new AccountRequiredException("This operation requires a caller with a name.");
	}

}
