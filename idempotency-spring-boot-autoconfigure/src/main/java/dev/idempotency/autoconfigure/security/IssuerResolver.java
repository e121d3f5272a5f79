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

import org.springframework.security.core.Authentication;

/**
 * The source of a principal's issuer.
 */
@FunctionalInterface
interface IssuerResolver {

	/**
	 * A resolver that knows no issuer, so that names alone are accounts.
	 */
	IssuerResolver NONE = (authentication) -> "";

	/**
	 * Resolves the issuer.
	 * @param authentication an authenticated caller
	 * @return the issuer of the token or the name of the login provider, empty if the
	 * principal is the application's own
	 */
	String resolve(Authentication authentication);

	/**
	 * Creates a resolver for the kinds of principals that are on the class path: bearer
	 * tokens, OAuth 2.0 and OpenID Connect logins, and SAML 2.0 logins.
	 * @return the resolver
	 */
	static IssuerResolver create() {
		return TokenIssuers.ofClassPath();
	}

}
