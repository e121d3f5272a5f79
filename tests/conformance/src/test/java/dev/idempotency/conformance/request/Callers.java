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
package dev.idempotency.conformance.request;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Import;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.user.DefaultOAuth2User;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.NamedCallers;

/**
 * Callers with and without a stable name, and the operations that they call.
 */
final class Callers {

	private Callers() {
	}

	static Authentication user(@Nullable Object principal) {
		return UsernamePasswordAuthenticationToken.authenticated(principal, null, List.of());
	}

	static Authentication bearer(@Nullable String issuer, String subject) {
		Jwt.Builder token = Jwt.withTokenValue("token").header("alg", "none").subject(subject).expiresAt(Instant.MAX);
		if (issuer != null) {
			token.issuer(issuer);
		}
		return new JwtAuthenticationToken(token.build(), List.of());
	}

	static Authentication login(String registration, String name) {
		var authorities = AuthorityUtils.createAuthorityList("ROLE_USER");
		return new OAuth2AuthenticationToken(new DefaultOAuth2User(authorities, Map.of("login", name), "login"),
				authorities, registration);
	}

	/**
	 * A token whose author has not thought of a name.
	 */
	static final class Nameless extends AbstractAuthenticationToken {

		private static final long serialVersionUID = 1L;

		private final @Nullable String name;

		Nameless(@Nullable String name) {
			super(List.of());
			this.name = name;
			setAuthenticated(true);
		}

		@Override
		public @Nullable String getName() {
			return this.name;
		}

		@Override
		public @Nullable Object getCredentials() {
			return null;
		}

		@Override
		public Object getPrincipal() {
			return this;
		}

	}

	/**
	 * A principal without its own text.
	 */
	static final class Merchant {

		private final String id;

		Merchant(String id) {
			this.id = id;
		}

		String id() {
			return this.id;
		}

	}

	/**
	 * A principal whose text has that of another object in it.
	 *
	 * @param merchant the other object
	 */
	record Holder(Merchant merchant) {
	}

	/**
	 * A principal whose text has more than its name in it.
	 *
	 * @param id the number of the member
	 * @param seen when the member was last seen
	 */
	record Member(long id, Instant seen) {
	}

	/**
	 * A principal with a stable text.
	 *
	 * @param id the number of the customer
	 */
	record Customer(long id) {
	}

	/**
	 * Knows the store of a user.
	 */
	static class Directories implements AccountResolver {

		@Override
		public Account resolve() {
			Authentication caller = SecurityContextHolder.getContext().getAuthentication();
			return Account.of(caller.getName() + ((User) caller.getPrincipal()).getAuthorities());
		}

	}

	/**
	 * A protected service.
	 */
	static class Served {

		private final Effects effects;

		Served(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#p0")
		public String serve(String key) {
			return this.effects.record(key).getId().toString();
		}

	}

	@RestController
	@Import({ Served.class, NamedCallers.class })
	static class Orders {

		private final Effects effects;

		private final Served served;

		Orders(Effects effects, Served served) {
			this.effects = effects;
			this.served = served;
		}

		@Idempotent
		@PostMapping("/open/orders/{label}")
		Map<String, Object> order(@PathVariable String label) {
			return Map.of("id", this.effects.record(label).getId());
		}

		@PostMapping("/open/served/{label}")
		Map<String, Object> serve(@PathVariable String label) {
			return Map.of("id", this.served.serve(label));
		}

	}

}
