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

import java.security.Principal;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.userdetails.UserDetails;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.account.Sender.Kind;
import dev.idempotency.engine.identity.CallerAccounts.SenderSource;

/**
 * Senders as authenticated by Spring Security. No credentials are stored: a textual
 * principal may be one, such as an API key, and its name is omitted unless the
 * application vouches for it.
 *
 * @param textsAreNames returns whether the application resolves or establishes accounts
 * itself, and thereby vouches that a textual principal is a name
 * @param runner provides what can establish senders again, {@code null} if the
 * application does that itself or nothing can
 * @param holder provides the strategy that holds the caller of the thread
 */
record AuthenticatedSenders(BooleanSupplier textsAreNames, Supplier<@Nullable SpringSecurityAccountRunner> runner,
		Supplier<SecurityContextHolderStrategy> holder) implements SenderSource {

	/**
	 * Spring Security grants these to users that it has authenticated by own credentials.
	 * A filter of the application that creates a user from a token does not.
	 */
	private static final Set<String> OWN_FACTORS = Set.of(FactorGrantedAuthority.PASSWORD_AUTHORITY,
			FactorGrantedAuthority.OTT_AUTHORITY, FactorGrantedAuthority.X509_AUTHORITY,
			FactorGrantedAuthority.WEBAUTHN_AUTHORITY);

	/**
	 * The authority of a user to whom another one has switched, by its class, which not
	 * every application has.
	 */
	private static final String SWITCHED = "org.springframework.security.web.authentication.switchuser.SwitchUserGrantedAuthority";

	private static final String SPRING_SECURITY = "org.springframework.security.";

	@Override
	public Sender describe(Account account) {
		Authentication authentication = this.holder.get().getContext().getAuthentication();
		if (authentication == null || !authentication.isAuthenticated()) {
			return Sender.of(account);
		}
		Object principal = authentication.getPrincipal();
		Set<String> factors = names(authentication, true);
		Kind kind = kind(account, authentication, principal, factors);
		Account stored = (account.equals(Account.SHARED) || isName(authentication, principal)) ? account
				: new Account(account.tenant(), account.issuer(), Sender.WITHHELD);
		String name = (kind == Kind.USER && principal instanceof UserDetails user) ? user.getUsername() : "";
		SpringSecurityAccountRunner again = (kind == Kind.USER) ? this.runner.get() : null;
		return new Sender(stored, kind, name, authentication.getClass().getName(),
				(principal != null) ? principal.getClass().getName() : "", names(authentication, false), factors,
				(again != null) ? again.digest(name) : "");
	}

	private static Kind kind(Account account, Authentication authentication, @Nullable Object principal,
			Set<String> factors) {
		if (authentication instanceof AnonymousAuthenticationToken) {
			return Kind.ANONYMOUS;
		}
		if (authentication instanceof RememberMeAuthenticationToken) {
			return Kind.REMEMBERED;
		}
		if (authentication.getAuthorities()
			.stream()
			.anyMatch((authority) -> authority.getClass().getName().equals(SWITCHED))) {
			return Kind.SWITCHED;
		}
		boolean own = account.issuer().isEmpty() || account.issuer().equals(IssuerHolder.DIRECTORY);
		return (own && principal instanceof UserDetails && hasOwnCredentials(authentication, factors)) ? Kind.USER
				: Kind.OTHER;
	}

	/**
	 * Returns whether all factors of an authentication are credentials of the user. An
	 * authority without a name cannot be compared later.
	 */
	private static boolean hasOwnCredentials(Authentication authentication, Set<String> factors) {
		return SpringSecurityAccountRunner.LOGINS.contains(authentication.getClass().getName()) && !factors.isEmpty()
				&& OWN_FACTORS.containsAll(factors)
				&& authentication.getAuthorities().stream().allMatch((granted) -> granted.getAuthority() != null);
	}

	private boolean isName(Authentication authentication, @Nullable Object principal) {
		if (principal == null || principal instanceof UserDetails || principal instanceof AuthenticatedPrincipal
				|| principal instanceof Principal) {
			return true;
		}
		if (principal.getClass().getName().startsWith(SPRING_SECURITY)) {
			// Such as a JWT, which is principal and credentials, and whose subject is the
			// name.
			return true;
		}
		if (principal.equals(authentication.getCredentials())) {
			return false;
		}
		boolean ofSpringSecurity = authentication.getClass().getName().startsWith(SPRING_SECURITY);
		return this.textsAreNames.getAsBoolean() || (ofSpringSecurity && !(principal instanceof CharSequence));
	}

	private static Set<String> names(Authentication authentication, boolean factors) {
		return authentication.getAuthorities()
			.stream()
			.filter((authority) -> authority instanceof FactorGrantedAuthority == factors)
			.map(GrantedAuthority::getAuthority)
			.filter(Objects::nonNull)
			.collect(Collectors.toUnmodifiableSet());
	}

}
