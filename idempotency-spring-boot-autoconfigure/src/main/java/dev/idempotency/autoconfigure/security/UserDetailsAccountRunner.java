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

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.security.authentication.AccountStatusUserDetailsChecker;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsChecker;
import org.springframework.security.core.userdetails.UserDetailsService;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.account.Sender;
import dev.idempotency.exception.SenderRefusedException;

/**
 * Runs work as a user of Spring Security with the authorities that it had when it sent
 * the request and still has:
 * <ol>
 * <li>A sender who was not such a user is refused, regardless of a local user with that
 * name.</li>
 * <li>The user is loaded again. A user who was deleted, locked, disabled or has expired
 * does not act, nor does one of a class other than that of the principal.</li>
 * <li>The thread gets the authorities common to both times, without factors of
 * authentication: no authentication takes place here.</li>
 * </ol>
 */
final class UserDetailsAccountRunner implements AccountRunner {

	private static final Authentication ANONYMOUS = new AnonymousAuthenticationToken("idempotency", "anonymousUser",
			List.of(new SimpleGrantedAuthority("ROLE_ANONYMOUS")));

	private final UserDetailsService users;

	private final UserDetailsChecker checker = new AccountStatusUserDetailsChecker();

	/**
	 * Creates a runner.
	 * @param users the users
	 */
	public UserDetailsAccountRunner(UserDetailsService users) {
		this.users = users;
	}

	@Override
	public void run(Sender sender, Work work) throws Exception {
		SecurityContext context = SecurityContextHolder.createEmptyContext();
		context.setAuthentication(authentication(sender));
		SecurityContextHolder.setContext(context);
		try {
			work.run();
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}

	private Authentication authentication(Sender sender) {
		return switch (sender.kind()) {
			case USER -> user(sender);
			case ANONYMOUS, NONE -> anonymous(sender);
			case OTHER -> throw new SenderRefusedException("The sender was authenticated by "
					+ sender.authenticationType() + " with the principal " + sender.principalType()
					+ ", which was not loaded by the UserDetailsService with a login of Spring Security. "
					+ "A local user of that name may be a different person. "
					+ "Declare an AccountRunner bean that can establish such senders again.");
		};
	}

	private static Authentication anonymous(Sender sender) {
		if (!sender.account().equals(Account.SHARED)) {
			throw new SenderRefusedException("The sender has an account and was not authenticated by Spring Security. "
					+ "Declare an AccountRunner bean that can establish such senders again.");
		}
		return ANONYMOUS;
	}

	private Authentication user(Sender sender) {
		if (!sender.account().tenant().isEmpty()) {
			throw new SenderRefusedException(
					"A UserDetailsService knows no tenants. Declare an AccountRunner bean that does.");
		}
		UserDetails user = this.users.loadUserByUsername(sender.name());
		this.checker.check(user);
		if (!user.getClass().getName().equals(sender.principalType()) || !user.getUsername().equals(sender.name())) {
			throw new SenderRefusedException("The sender was a " + sender.principalType()
					+ ", and the UserDetailsService has loaded a " + user.getClass().getName()
					+ ": it may be a different person. Declare an AccountRunner bean that knows both.");
		}
		Set<GrantedAuthority> granted = user.getAuthorities()
			.stream()
			.filter((authority) -> authority.getAuthority() != null
					&& sender.authorities().contains(authority.getAuthority()))
			.collect(Collectors.toUnmodifiableSet());
		return UsernamePasswordAuthenticationToken.authenticated(reduced(user, granted), null, granted);
	}

	/**
	 * The principal does not show authorities that the user was given since. Classes of
	 * the application are not changed.
	 */
	private static UserDetails reduced(UserDetails user, Set<GrantedAuthority> granted) {
		return (user.getClass() == User.class) ? new User(user.getUsername(), "", granted) : user;
	}

}
