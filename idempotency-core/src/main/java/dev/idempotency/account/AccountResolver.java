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
package dev.idempotency.account;

import org.jspecify.annotations.Nullable;

/**
 * Resolves the account of the caller. Declared as a bean it replaces the default, which
 * takes {@link Account#SHARED} without Spring Security, and with it the name that the
 * type of the authenticated principal declares, within the issuer or registration that
 * the authentication holds:
 * <ul>
 * <li>a {@code UserDetails}, an {@code AuthenticatedPrincipal}, a
 * {@link java.security.Principal}, a text, a UUID, a number or an enum; a user of a
 * directory by the distinguished name. A principal of any other type is refused.</li>
 * <li>One name is one account, however the caller was authenticated: by a password, a
 * remembered login, or an API key. An application in which an API key {@code alice} and a
 * user {@code alice} are two callers declares a bean that distinguishes them, for example
 * with {@code Account.of(name).withIssuer("api-key")}.</li>
 * </ul>
 * <p>
 * It is called on the thread of the request, after the filter chain, so that everything
 * that filters bind to the thread (security context, request attributes, tenant) is
 * available.
 */
@FunctionalInterface
public interface AccountResolver {

	/**
	 * Resolves the caller.
	 * @return the account, or {@code null} for an anonymous caller, who is treated as
	 * {@code idempotency.anonymous} says
	 */
	@Nullable Account resolve();

}
