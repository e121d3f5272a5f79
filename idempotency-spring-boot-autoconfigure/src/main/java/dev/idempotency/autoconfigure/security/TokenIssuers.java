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
 * Issuers of tokens and names of login providers, wherever an authentication holds them:
 * itself, in its principal, its credentials or its details. Each kind of holder has a
 * class, which is only loaded if the classes that it refers to are on the class path. The
 * first kind that finds an issuer decides.
 *
 * @param kinds find the issuer that an object holds, or {@code null}, in their order
 */
record TokenIssuers(List<Function<Object, @Nullable String>> kinds) {

	private static final String OAUTH2 = "org.springframework.security.oauth2.";

	/**
	 * The issuer of names from a directory, which are distinguished names.
	 */
	static final String DIRECTORY = "directory:";

	/**
	 * Creates issuers for the kinds of principals that are on the class path: bearer
	 * tokens, OAuth 2.0 and OpenID Connect logins, SAML 2.0 logins, and directories.
	 */
	static TokenIssuers ofClassPath() {
		ClassLoader loader = TokenIssuers.class.getClassLoader();
		List<Function<Object, @Nullable String>> kinds = new ArrayList<>();
		if (ClassUtils.isPresent(OAUTH2 + "client.authentication.OAuth2AuthenticationToken", loader)) {
			kinds.add(Logins::find);
		}
		if (ClassUtils.isPresent(OAUTH2 + "server.resource.authentication.AbstractOAuth2TokenAuthenticationToken",
				loader)) {
			kinds.add(BearerTokens::find);
		}
		if (ClassUtils.isPresent(OAUTH2 + "core.ClaimAccessor", loader)) {
			kinds.add(Claims::find);
		}
		kinds.add((holder) -> (holder instanceof Map<?, ?> claims) ? text(claims.get("iss")) : null);
		kinds.add(RelyingParties::find);
		kinds.add((holder) -> DirectoryUsers.isUser(holder) ? DIRECTORY : null);
		return new TokenIssuers(List.copyOf(kinds));
	}

	/**
	 * Resolves the issuer.
	 * @param authentication an authenticated caller
	 * @return the issuer of the token or the name of the login provider, empty if the
	 * principal is the application's own
	 */
	String resolve(Authentication authentication) {
		List<Object> holders = new ArrayList<>();
		collect(authentication, holders);
		for (Function<Object, @Nullable String> kind : this.kinds) {
			for (Object holder : holders) {
				String issuer = kind.apply(holder);
				if (issuer != null) {
					return issuer;
				}
			}
		}
		return "";
	}

	/**
	 * Collects the objects that an authentication holds, and those of one within it.
	 */
	private static void collect(@Nullable Object holder, List<Object> found) {
		if (holder == null || found.stream().anyMatch((earlier) -> earlier == holder)) {
			return;
		}
		found.add(holder);
		if (holder instanceof Authentication authentication) {
			collect(authentication.getPrincipal(), found);
			collect(authentication.getCredentials(), found);
			collect(authentication.getDetails(), found);
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
			if (!(holder instanceof OAuth2AuthenticationToken login)) {
				return null;
			}
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
			if (!(holder instanceof AbstractOAuth2TokenAuthenticationToken<?> token)) {
				return null;
			}
			String issuer = text(token.getTokenAttributes().get("iss"));
			return (issuer != null) ? issuer : "bearer:";
		}

	}

	/**
	 * Tokens and principals with claims.
	 */
	private static final class Claims {

		static @Nullable String find(Object holder) {
			if (holder instanceof ClaimAccessor claims) {
				return text(claims.getClaims().get("iss"));
			}
			return (holder instanceof OAuth2AuthenticatedPrincipal bearer) ? text(bearer.getAttribute("iss")) : null;
		}

	}

	/**
	 * SAML 2.0 logins. Their classes have dependencies that are not on Maven Central, so
	 * the name of the registration is read as a bean property.
	 */
	private static final class RelyingParties {

		private static final String PROPERTY = "relyingPartyRegistrationId";

		static @Nullable String find(Object holder) {
			if (!(holder instanceof Authentication || holder instanceof AuthenticatedPrincipal)) {
				return null;
			}
			if (BeanUtils.getPropertyDescriptor(holder.getClass(), PROPERTY) == null) {
				return null;
			}
			String registration = text(
					PropertyAccessorFactory.forBeanPropertyAccess(holder).getPropertyValue(PROPERTY));
			return (registration != null) ? "registration:" + registration : null;
		}

	}

}
