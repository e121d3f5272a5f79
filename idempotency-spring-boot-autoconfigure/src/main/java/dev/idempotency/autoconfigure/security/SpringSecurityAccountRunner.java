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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.authentication.AccountStatusException;
import org.springframework.security.authentication.AccountStatusUserDetailsChecker;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.ott.OneTimeTokenAuthentication;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsChecker;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.web.authentication.preauth.PreAuthenticatedAuthenticationToken;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.account.Sender;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.exception.SenderRefusedException;

/**
 * Runs work as a sender of Spring Security, exactly as the sender acted, or not at all:
 * <ol>
 * <li>A user who was authenticated by own credentials is loaded again. The user has to be
 * recognised, of the same class, enabled and neither locked nor expired, and has to have
 * exactly the authorities of then. The thread gets these, with the factors of then; a
 * rule that limits their age finds them expired.</li>
 * <li>An anonymous sender acts anonymously.</li>
 * <li>Where the application has declared that the authorities of then are enough, a
 * sender of any other kind acts with these, except one who was remembered, or in whose
 * place somebody else acted.</li>
 * <li>Everybody else is refused.</li>
 * </ol>
 *
 * @param users loads the users of the application, {@code null} if it has none
 * @param keys digests what is stored of users
 * @param storedAuthority whether the authorities of then are enough for senders who
 * cannot be loaded
 * @param holder provides the strategy that holds the caller of the thread
 */
record SpringSecurityAccountRunner(@Nullable UserDetailsService users, Supplier<DigestKeys> keys,
		boolean storedAuthority, Supplier<SecurityContextHolderStrategy> holder) implements AccountRunner {

	private static final Log logger = LogFactory.getLog(SpringSecurityAccountRunner.class);

	private static final String PASSWORD = "org.springframework.security.authentication.UsernamePasswordAuthenticationToken";

	private static final String ONE_TIME_TOKEN = "org.springframework.security.authentication.ott.OneTimeTokenAuthentication";

	private static final String CERTIFICATE = "org.springframework.security.web.authentication.preauth.PreAuthenticatedAuthenticationToken";

	/**
	 * The authentications of users by own credentials that can be established again.
	 */
	static final Set<String> LOGINS = Set.of(PASSWORD, ONE_TIME_TOKEN, CERTIFICATE);

	private static final UserDetailsChecker CHECKER = new AccountStatusUserDetailsChecker();

	/**
	 * Returns the digest by which a user is recognised later: of the password as it is
	 * encoded in the application's own store now. A user who was deleted and created
	 * again has another one. The principal of a request does not have the password any
	 * more.
	 * @param name the name of the user
	 * @return the digest, empty if the user cannot be loaded or has no password
	 */
	String digest(String name) {
		try {
			return (this.users != null) ? digest(this.users.loadUserByUsername(name)) : "";
		}
		catch (RuntimeException ex) {
			// The request itself does not need the user, nor does a retry of its sender.
			logger.debug("The sender of a request cannot be loaded", ex);
			return "";
		}
	}

	private String digest(UserDetails user) {
		String password = user.getPassword();
		return (password != null && !password.isEmpty()) ? this.keys.get().user(user.getUsername(), password) : "";
	}

	@Override
	public boolean supports(Sender sender) {
		return reason(sender) == null;
	}

	@Override
	public void run(Sender sender, Work work) throws Exception {
		SecurityContextHolderStrategy thread = this.holder.get();
		SecurityContext context = thread.createEmptyContext();
		context.setAuthentication(authentication(sender));
		thread.setContext(context);
		try {
			work.run();
		}
		finally {
			thread.clearContext();
		}
	}

	private @Nullable Authentication authentication(Sender sender) {
		String reason = reason(sender);
		if (reason != null) {
			throw new SenderRefusedException(reason + " A retry of the sender resumes the request.");
		}
		return switch (sender.kind()) {
			case NONE -> null;
			case ANONYMOUS -> new AnonymousAuthenticationToken("idempotency", "anonymousUser",
					AuthorityUtils.createAuthorityList(sender.authorities()));
			case USER -> user(sender);
			case REMEMBERED, SWITCHED, OTHER -> new StoredSender(sender);
		};
	}

	/**
	 * Returns the reason why this runner never acts for a sender, {@code null} if it may.
	 */
	private @Nullable String reason(Sender sender) {
		return switch (sender.kind()) {
			case NONE, ANONYMOUS -> sender.account().equals(Account.SHARED) ? null
					: "The sender has an account and was not authenticated by Spring Security.";
			case REMEMBERED -> "The sender was remembered, and not authenticated by own credentials.";
			case SWITCHED -> "The sender was switched to by another user.";
			case USER -> reasonOfUser(sender);
			case OTHER -> reasonOfOther(sender);
		};
	}

	private @Nullable String reasonOfUser(Sender sender) {
		if (this.users == null) {
			return "The application has no UserDetailsService of its own, or several.";
		}
		if (!sender.account().tenant().isEmpty()) {
			return "A UserDetailsService has no tenants.";
		}
		return sender.userDigest().isEmpty()
				? "The sender cannot be recognised later, since the UserDetailsService had no password of the user."
				: null;
	}

	private @Nullable String reasonOfOther(Sender sender) {
		if (!this.storedAuthority) {
			return "The sender was authenticated by " + sender.authenticationType() + " with the principal "
					+ sender.principalType() + " and the factors " + sender.factors()
					+ ", not by own credentials as a user of the UserDetailsService. "
					+ "Declare an AccountRunner bean that can establish such senders again, or set "
					+ "idempotency.completer.authority=stored.";
		}
		return sender.account().id().equals(Sender.WITHHELD) ? "The name of the sender may be a credential." : null;
	}

	private Authentication user(Sender sender) {
		UserDetails user = load(sender);
		if (!user.getClass().getName().equals(sender.principalType()) || !user.getUsername().equals(sender.name())) {
			throw refused("The sender was a " + sender.principalType() + ", and the UserDetailsService has loaded a "
					+ user.getClass().getName() + ".");
		}
		if (!digest(user).equals(sender.userDigest())) {
			throw refused("The sender is not recognised as the same user: the password was changed, "
					+ "or the user was deleted and created again.");
		}
		requireSame(user.getAuthorities(), sender.authorities());
		List<GrantedAuthority> authorities = new ArrayList<>(user.getAuthorities());
		sender.factors()
			.forEach((factor) -> authorities
				.add(FactorGrantedAuthority.withAuthority(factor).issuedAt(Instant.EPOCH).build()));
		AbstractAuthenticationToken authentication = login(sender.authenticationType(), user, authorities);
		authentication.eraseCredentials();
		return authentication;
	}

	private UserDetails load(Sender sender) {
		try {
			UserDetails user = Objects.requireNonNull(this.users).loadUserByUsername(sender.name());
			CHECKER.check(user);
			return user;
		}
		catch (UsernameNotFoundException | AccountStatusException ex) {
			throw new SenderRefusedException("The user may no longer act.", ex);
		}
	}

	private static void requireSame(Collection<? extends GrantedAuthority> present, Set<String> stored) {
		boolean named = present.stream().allMatch((authority) -> authority.getAuthority() != null);
		if (!named || !AuthorityUtils.authorityListToSet(present).equals(stored)) {
			throw refused("The authorities of the user have changed since the request.");
		}
	}

	private static SenderRefusedException refused(String reason) {
		return new SenderRefusedException(
				reason + " Undo that and let the request go on, or abandon it. A retry of the sender resumes it.");
	}

	private static AbstractAuthenticationToken login(String type, UserDetails user,
			Collection<GrantedAuthority> authorities) {
		return switch (type) {
			case PASSWORD -> UsernamePasswordAuthenticationToken.authenticated(user, null, authorities);
			case ONE_TIME_TOKEN -> new OneTimeTokenAuthentication(user, authorities);
			case CERTIFICATE -> Certificates.login(user, authorities);
			default -> throw refused("The sender was authenticated by " + type + ".");
		};
	}

	/**
	 * The authentication of a sender who cannot be loaded, with the authorities of then.
	 */
	static final class StoredSender extends AbstractAuthenticationToken {

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

	/**
	 * Logins by certificates. Is only loaded where there are some.
	 */
	private static final class Certificates {

		static AbstractAuthenticationToken login(UserDetails user, Collection<GrantedAuthority> authorities) {
			return new PreAuthenticatedAuthenticationToken(user, "", authorities);
		}

	}

}
