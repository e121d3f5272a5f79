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
package dev.idempotency.autoconfigure;

import java.util.List;

import org.springframework.security.authentication.AccountStatusUserDetailsChecker;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsChecker;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.core.userdetails.UsernameNotFoundException;

import dev.idempotency.Account;
import dev.idempotency.AccountRunner;

/**
 * Runs work as a user of Spring Security with the authorities that it has now. A user who
 * is gone, locked, disabled or expired does not act.
 */
final class UserDetailsAccountRunner implements AccountRunner {

	private static final Authentication ANONYMOUS = new AnonymousAuthenticationToken("idempotency", "anonymousUser",
			List.of(new SimpleGrantedAuthority("ROLE_ANONYMOUS")));

	private final UserDetailsService users;

	private final UserDetailsChecker checker = new AccountStatusUserDetailsChecker();

	UserDetailsAccountRunner(UserDetailsService users) {
		this.users = users;
	}

	@Override
	public void run(Account account, Work work) throws Exception {
		SecurityContext context = SecurityContextHolder.createEmptyContext();
		context.setAuthentication(account.equals(Account.SHARED) ? ANONYMOUS : authenticate(account));
		SecurityContextHolder.setContext(context);
		try {
			work.run();
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}

	private Authentication authenticate(Account account) {
		if (!account.tenant().isEmpty()) {
			throw new UsernameNotFoundException(
					"A UserDetailsService knows no tenants: declare an AccountRunner bean that does");
		}
		UserDetails user = this.users.loadUserByUsername(account.id());
		this.checker.check(user);
		return UsernamePasswordAuthenticationToken.authenticated(user, null, user.getAuthorities());
	}

}
