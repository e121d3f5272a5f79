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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.userdetails.UserDetails;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.engine.identity.StableText;
import dev.idempotency.exception.AccountRequiredException;
import dev.idempotency.logging.LogEvent;

/**
 * The authenticated principal as account: its name, within the issuer that vouches for
 * it. A principal without a stable name is refused. If a principal has no name, Spring
 * Security uses its {@code toString()}; that of a class without one contains the address
 * of the object, so that the name changes with each request, and that of a record has all
 * its fields, so that it changes with any of them.
 */
final class PrincipalAccountResolver implements AccountResolver {

	private static final Pattern FIELDS = Pattern.compile("([\\w.$]+)[\\[({].*,.*", Pattern.DOTALL);

	private static final Log logger = LogFactory.getLog(PrincipalAccountResolver.class);

	/**
	 * Callers cannot make it grow: the application has a limited number of authentication
	 * classes.
	 */
	private final Set<Class<?>> refusedTypes = ConcurrentHashMap.newKeySet();

	private final TokenIssuers issuers;

	private final Supplier<SecurityContextHolderStrategy> holder;

	PrincipalAccountResolver(TokenIssuers issuers, Supplier<SecurityContextHolderStrategy> holder) {
		this.issuers = issuers;
		this.holder = holder;
	}

	@Override
	public @Nullable Account resolve() {
		Authentication authentication = this.holder.get().getContext().getAuthentication();
		if (authentication == null || !authentication.isAuthenticated()
				|| authentication instanceof AnonymousAuthenticationToken) {
			return null;
		}
		String problem = problem(authentication);
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

	/**
	 * Returns the problem of a name, if any.
	 * @return the reason why the caller has no stable name, {@code null} if there is one
	 */
	private static @Nullable String problem(Authentication authentication) {
		String name = authentication.getName();
		if (name == null || name.isBlank()) {
			return "its authentication, a " + authentication.getClass().getName() + ", has no name";
		}
		Object principal = authentication.getPrincipal();
		if (principal == null || isNamed(principal) || principal instanceof CharSequence) {
			return null;
		}
		if (name.equals(identityText(principal)) || (name.equals(principal.toString()) && StableText.isAddress(name))) {
			return "the name of its principal, a " + principal.getClass().getName()
					+ ", is the address of an object, which differs in each request";
		}
		if (name.equals(principal.toString()) && listsFields(principal.getClass(), name)) {
			return "the name of its principal, a " + principal.getClass().getName()
					+ ", lists several fields, which may differ before a retry";
		}
		return null;
	}

	/**
	 * Returns whether a text is the one that is generated for a record or by a tool,
	 * except for a single field.
	 */
	private static boolean listsFields(Class<?> type, String text) {
		Matcher generated = FIELDS.matcher(text);
		return generated.matches() && generated.group(1).endsWith(type.getSimpleName());
	}

	private static String identityText(Object object) {
		return object.getClass().getName() + "@" + Integer.toHexString(object.hashCode());
	}

	/**
	 * Returns whether a principal is of a kind that has a name, rather than just a text.
	 */
	static boolean isNamed(Object principal) {
		return principal instanceof UserDetails || principal instanceof AuthenticatedPrincipal
				|| principal instanceof Principal;
	}

}
