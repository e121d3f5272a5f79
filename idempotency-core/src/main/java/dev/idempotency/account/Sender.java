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

import java.util.Objects;
import java.util.Set;

/**
 * A caller at the time of the request, stored with a request that may be completed
 * without that caller. It contains no credentials.
 *
 * @param account the account, with the id {@link #WITHHELD} if the id may be a credential
 * @param kind the kind of principal
 * @param name the user name of a {@link Kind#USER}, otherwise empty
 * @param authenticationType the class of the authentication, empty without one
 * @param principalType the class of the principal, empty without one
 * @param authorities the names of the authorities, without factors
 * @param factors the names of the factors of authentication that Spring Security has
 * granted
 * @param userDigest a digest of the user as stored at that time, empty if the user cannot
 * be recognised
 */
public record Sender(Account account, Kind kind, String name, String authenticationType, String principalType,
		Set<String> authorities, Set<String> factors, String userDigest) {

	/**
	 * The placeholder for an id that is not stored.
	 */
	public static final String WITHHELD = "(withheld)";

	/**
	 * Kinds of principals.
	 */
	public enum Kind {

		/**
		 * No authentication, or no Spring Security.
		 */
		NONE,

		/**
		 * An anonymous caller of Spring Security.
		 */
		ANONYMOUS,

		/**
		 * A user of the application whom Spring Security has authenticated by the user's
		 * own credentials: a password, a one-time token, or a certificate.
		 */
		USER,

		/**
		 * A user who was remembered since an earlier login.
		 */
		REMEMBERED,

		/**
		 * A user in whose place another one acts.
		 */
		SWITCHED,

		/**
		 * Any other kind, such as the bearer of a token.
		 */
		OTHER

	}

	public Sender {
		Objects.requireNonNull(account, "account");
		Objects.requireNonNull(kind, "kind");
		authorities = Set.copyOf(authorities);
		factors = Set.copyOf(factors);
	}

	/**
	 * Creates a sender of whom only the account is known.
	 * @param account the account
	 * @return the sender
	 */
	public static Sender of(Account account) {
		return new Sender(account, Kind.NONE, "", "", "", Set.of(), Set.of(), "");
	}

}
