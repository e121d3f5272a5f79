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

import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.util.ClassUtils;

/**
 * A kind of object that holds the issuer of a token, or the name of a login provider.
 * Most kinds have a class, which is only loaded if the classes that it refers to are on
 * the class path.
 *
 * @param includes returns whether objects of a class are of this kind
 * @param find finds the issuer that one of them holds, {@code null} if it has none
 */
record IssuerHolder(Predicate<Class<?>> includes, Function<Object, @Nullable String> find) {

	/**
	 * The issuer of names from a directory, which are distinguished names.
	 */
	static final String DIRECTORY = "directory:";

	/**
	 * The kinds that are on the class path, in the order in which they are asked: OAuth
	 * 2.0 and OpenID Connect logins, bearer tokens, claims, SAML 2.0 logins, and
	 * directories.
	 */
	static final List<IssuerHolder> KINDS = ofClassPath();

	/**
	 * Returns whether objects of a class are of any kind.
	 */
	static boolean isAny(Class<?> type) {
		return KINDS.stream().anyMatch((kind) -> kind.includes.test(type));
	}

	private static List<IssuerHolder> ofClassPath() {
		List<IssuerHolder> kinds = new ArrayList<>();
		add(kinds, "oauth2.client.authentication.OAuth2AuthenticationToken", (holder) -> Logins.find(holder));
		add(kinds, "oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken",
				(holder) -> BearerTokens.find(holder));
		add(kinds, "oauth2.core.ClaimAccessor", (holder) -> Claims.find(holder));
		add(kinds, "oauth2.core.OAuth2AuthenticatedPrincipal", (holder) -> Claims.findOfPrincipal(holder));
		kinds.add(new IssuerHolder(Map.class::isAssignableFrom, (claims) -> text(((Map<?, ?>) claims).get("iss"))));
		kinds.add(new IssuerHolder(RelyingParties::include, RelyingParties::find));
		add(kinds, "ldap.userdetails.LdapUserDetails", (holder) -> DIRECTORY);
		return List.copyOf(kinds);
	}

	private static void add(List<IssuerHolder> kinds, String name, Function<Object, @Nullable String> find) {
		ClassLoader loader = IssuerHolder.class.getClassLoader();
		String className = "org.springframework.security." + name;
		if (ClassUtils.isPresent(className, loader)) {
			kinds.add(new IssuerHolder(ClassUtils.resolveClassName(className, loader)::isAssignableFrom, find));
		}
	}

	private static @Nullable String text(@Nullable Object claim) {
		return ((claim instanceof CharSequence || claim instanceof URL) && !claim.toString().isEmpty())
				? claim.toString() : null;
	}

	/**
	 * Logins at a provider. Without an issuer, the registration identifies it.
	 */
	private static final class Logins {

		static @Nullable String find(Object holder) {
			OAuth2AuthenticationToken login = (OAuth2AuthenticationToken) holder;
			String issuer = (login.getPrincipal() instanceof OidcUser user) ? text(user.getClaims().get("iss")) : null;
			return (issuer != null) ? issuer : "registration:" + login.getAuthorizedClientRegistrationId();
		}

	}

	/**
	 * Bearer tokens, JWT and opaque. Those without an issuer are one issuer, which is not
	 * the application itself.
	 */
	private static final class BearerTokens {

		static @Nullable String find(Object holder) {
			String issuer = text(((AbstractOAuth2TokenAuthenticationToken<?>) holder).getTokenAttributes().get("iss"));
			return (issuer != null) ? issuer : "bearer:";
		}

	}

	/**
	 * Tokens and principals with claims.
	 */
	private static final class Claims {

		static @Nullable String find(Object holder) {
			return text(((ClaimAccessor) holder).getClaims().get("iss"));
		}

		static @Nullable String findOfPrincipal(Object holder) {
			return text(((OAuth2AuthenticatedPrincipal) holder).getAttribute("iss"));
		}

	}

	/**
	 * SAML 2.0 logins. Their classes have dependencies that are not on Maven Central, so
	 * the name of the registration is read as a bean property.
	 */
	private static final class RelyingParties {

		private static final String PROPERTY = "relyingPartyRegistrationId";

		static boolean include(Class<?> type) {
			return (Authentication.class.isAssignableFrom(type) || AuthenticatedPrincipal.class.isAssignableFrom(type))
					&& BeanUtils.getPropertyDescriptor(type, PROPERTY) != null;
		}

		static @Nullable String find(Object holder) {
			String registration = text(
					PropertyAccessorFactory.forBeanPropertyAccess(holder).getPropertyValue(PROPERTY));
			return (registration != null) ? "registration:" + registration : null;
		}

	}

}
