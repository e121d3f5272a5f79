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

import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;

import dev.idempotency.engine.identity.DigestKeys;

/**
 * The users of the application, who are recognised by a digest of the password as it is
 * encoded in the application's own store: a user who was deleted and created again has
 * another one.
 *
 * @param service loads users
 * @param keys digests what is stored of them
 */
record OwnUsers(UserDetailsService service, Supplier<DigestKeys> keys) {

	private static final Log logger = LogFactory.getLog(OwnUsers.class);

	/**
	 * Returns the digest of a user as stored now. The principal of a request does not
	 * have the password any more.
	 * @param name the name of the user
	 * @return the digest, empty if the user cannot be loaded or has no password
	 */
	String digest(String name) {
		try {
			return digest(this.service.loadUserByUsername(name));
		}
		catch (RuntimeException ex) {
			// The request itself does not need the user, nor does a retry of its sender.
			logger.debug("The sender of a request cannot be loaded", ex);
			return "";
		}
	}

	/**
	 * Returns the digest of a user.
	 * @param user the user as loaded
	 * @return the digest, empty if there is no password
	 */
	String digest(UserDetails user) {
		String password = user.getPassword();
		return (password != null && !password.isEmpty()) ? this.keys.get().user(user.getUsername(), password) : "";
	}

}
