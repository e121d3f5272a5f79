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

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.ldap.userdetails.LdapUserDetails;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.autoconfigure.security.SpringSecurityAccountRunner.StoredSender;
import dev.idempotency.engine.identity.DeclaredText;
import dev.idempotency.engine.identity.DeclaredText.UndeclaredTextException;
import dev.idempotency.exception.AccountRequiredException;
import dev.idempotency.logging.LogEvent;

/**
 * The authenticated principal as account: the name that its type declares, within the
 * issuer that vouches for it. Spring Security takes the {@code toString()} of a principal
 * of any other type, which may print an address or fields that change before a retry:
 * such a principal is refused.
 */
final class PrincipalAccountResolver implements AccountResolver {

	private static final Log logger = LogFactory.getLog(PrincipalAccountResolver.class);

	private static final boolean DIRECTORIES = ClassUtils.isPresent(
			"org.springframework.security.ldap.userdetails.LdapUserDetails",
			PrincipalAccountResolver.class.getClassLoader());

	/**
	 * Callers cannot make these grow: the application has a limited number of classes.
	 */
	private final Set<Class<?>> refusedTypes = ConcurrentHashMap.newKeySet();

	private final Map<Class<?>, Boolean> named = new ConcurrentHashMap<>();

	private final Map<Class<?>, Boolean> issuerHolders = new ConcurrentHashMap<>();

	private final Supplier<SecurityContextHolderStrategy> holder;

	PrincipalAccountResolver(Supplier<SecurityContextHolderStrategy> holder) {
		this.holder = holder;
	}

	@Override
	public @Nullable Account resolve() {
		Authentication authentication = this.holder.get().getContext().getAuthentication();
		if (authentication == null || !authentication.isAuthenticated()
				|| authentication instanceof AnonymousAuthenticationToken) {
			return null;
		}
		if (authentication instanceof StoredSender sender) {
			return sender.account();
		}
		String name = name(authentication);
		if (name != null && name.length() > DeclaredText.MAX_LENGTH) {
			throw refuse(authentication, "has a name of more than " + DeclaredText.MAX_LENGTH + " characters");
		}
		if (name == null || name.isBlank()) {
			throw refuse(authentication, "has no name that its type declares");
		}
		return new Account("", issuer(authentication), name);
	}

	private AccountRequiredException refuse(Authentication authentication, String problem) {
		Object principal = authentication.getPrincipal();
		Class<?> type = (principal != null) ? principal.getClass() : authentication.getClass();
		if (this.refusedTypes.add(type)) {
			LogEvent.NAMELESS_REFUSED.log(logger,
					"A caller of an idempotent operation was refused, because its principal, a " + type.getName()
							+ " in a " + authentication.getClass().getName() + ", " + problem
							+ ". Declare an AccountResolver bean that returns Account.of(<a stable id of the caller>), "
							+ "or let the principal implement java.security.Principal. "
							+ "This is logged once for each class of principal.");
		}
		return new AccountRequiredException("This operation requires a caller with a name.");
	}

	/**
	 * Returns the declared name of a caller, {@code null} if there is none.
	 */
	private @Nullable String name(Authentication authentication) {
		Object principal = authentication.getPrincipal();
		if (DIRECTORIES && principal instanceof LdapUserDetails entry) {
			return DistinguishedNames.normalize(entry.getDn());
		}
		if (this.named.computeIfAbsent(authentication.getClass(), PrincipalAccountResolver::declaresName)) {
			return authentication.getName();
		}
		if (principal instanceof UserDetails user) {
			return user.getUsername();
		}
		if (principal instanceof AuthenticatedPrincipal user) {
			return user.getName();
		}
		if (principal instanceof Authentication other) {
			return name(other);
		}
		if (principal instanceof Principal user) {
			return user.getName();
		}
		boolean declared = principal instanceof CharSequence || principal instanceof UUID || principal instanceof Number
				|| principal instanceof Enum;
		try {
			return declared ? DeclaredText.of(principal) : null;
		}
		catch (UndeclaredTextException ex) {
			return null;
		}
	}

	/**
	 * Returns whether a class of authentication has a name, rather than the text of any
	 * principal that Spring Security's base classes return.
	 */
	private static boolean declaresName(Class<?> type) {
		Method method = Objects.requireNonNull(ReflectionUtils.findMethod(type, "getName"));
		Package declared = method.getDeclaringClass().getPackage();
		return declared != AbstractAuthenticationToken.class.getPackage()
				&& declared != Authentication.class.getPackage();
	}

	/**
	 * Returns the issuer of the token or the name of the login provider, wherever an
	 * authentication holds it: itself, in its principal, its credentials or its details.
	 * The first kind of holder that has one decides.
	 * @param authentication an authenticated caller
	 * @return the issuer, empty if the principal is the application's own
	 */
	String issuer(Authentication authentication) {
		List<Object> holders = new ArrayList<>(4);
		collect(authentication, holders);
		boolean any = false;
		for (Object holder : holders) {
			any |= this.issuerHolders.computeIfAbsent(holder.getClass(), IssuerHolder::isAny);
		}
		return any ? findIssuer(holders) : "";
	}

	/**
	 * Collects the objects that an authentication holds, and the objects of one within
	 * it.
	 */
	private static void collect(Authentication authentication, List<Object> found) {
		found.add(authentication);
		for (Object part : new @Nullable Object[] { authentication.getPrincipal(), authentication.getCredentials(),
				authentication.getDetails() }) {
			if (part instanceof Authentication inner) {
				if (found.stream().noneMatch((earlier) -> earlier == inner)) {
					collect(inner, found);
				}
			}
			else if (part != null) {
				found.add(part);
			}
		}
	}

	private static String findIssuer(List<Object> holders) {
		for (IssuerHolder kind : IssuerHolder.KINDS) {
			for (Object holder : holders) {
				String issuer = kind.includes().test(holder.getClass()) ? kind.find().apply(holder) : null;
				if (issuer != null) {
					return issuer;
				}
			}
		}
		return "";
	}

}
