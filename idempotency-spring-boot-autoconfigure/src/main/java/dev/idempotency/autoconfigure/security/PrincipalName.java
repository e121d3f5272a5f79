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

import org.jspecify.annotations.Nullable;

import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.UserDetails;

import dev.idempotency.engine.identity.StableText;

/**
 * Checks names of principals. If a principal has no name, Spring Security uses its
 * {@code toString()}, and that of a class without one has the address of the object in
 * it: the name changes with each request.
 */
final class PrincipalName {

	private PrincipalName() {
	}

	/**
	 * Returns the problem of a name, if any.
	 * @return the reason why the caller has no stable name, {@code null} if there is one
	 */
	static @Nullable String problem(Authentication authentication) {
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
		return null;
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
