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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
import org.springframework.web.bind.annotation.RequestBody;
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

	/**
	 * As a converter of a resource server does that loads a user of the application.
	 */
	static Authentication converted(String issuer, String subject) {
		return UsernamePasswordAuthenticationToken.authenticated(new User(subject, "", List.of()),
				bearer(issuer, subject).getCredentials(), List.of());
	}

	/**
	 * The claims of a token, as libraries for JWT give them.
	 */
	static Map<String, Object> claims() {
		return Map.of("sub", "7", "iat", Instant.now());
	}

	static JsonNode json() {
		return JsonMapper.shared().valueToTree(Map.of("sub", "7", "iat", Instant.now().toString()));
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
	 * A principal whose text has more than its name in it.
	 *
	 * @param id the number of the member
	 * @param seen when the member was last seen
	 */
	record Member(long id, Instant seen) {
	}

	/**
	 * A principal whose text is stable as long as nobody adds a field.
	 *
	 * @param id the number of the customer
	 */
	record Customer(long id) {
	}

	/**
	 * A principal of an application that prints its fields in some way.
	 */
	static final class Printed {

		private final String start;

		Printed(String start) {
			this.start = start;
		}

		@Override
		public String toString() {
			return this.start + Instant.now() + "]";
		}

	}

	/**
	 * A principal with the text of a superclass.
	 */
	static final class Derived extends Base {

		Derived(String id) {
			super(id);
		}

	}

	static class Base {

		private final String id;

		Base(String id) {
			this.id = id;
		}

		@Override
		public String toString() {
			return "Base(id=" + this.id + ", at=" + Instant.now() + ")";
		}

	}

	/**
	 * A principal of a class that no other test uses: a refusal is logged once for each.
	 */
	static final class Unlogged {

	}

	enum Branch {

		NORTH, SOUTH

	}

	/**
	 * An authentication with a name, for which the principal is only data.
	 */
	static final class NamedToken extends AbstractAuthenticationToken {

		private static final long serialVersionUID = 1L;

		private final String name;

		private final transient Object data;

		NamedToken(String name, Object data) {
			super(List.of());
			this.name = name;
			this.data = data;
			setAuthenticated(true);
		}

		@Override
		public String getName() {
			return this.name;
		}

		@Override
		public @Nullable Object getCredentials() {
			return null;
		}

		@Override
		public Object getPrincipal() {
			return this.data;
		}

	}

	/**
	 * Tells callers apart by the kind of their authentication.
	 */
	static class Kinds implements AccountResolver {

		@Override
		public Account resolve() {
			Authentication caller = SecurityContextHolder.getContext().getAuthentication();
			return Account.of(caller.getName()).withIssuer((caller instanceof NamedToken) ? "api-key" : "");
		}

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
	 * An id with a type.
	 *
	 * @param value the id
	 */
	record OrderId(String value) {
	}

	record Order(@Nullable OrderId id) {
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

		@Idempotent(key = "#id")
		public void serveTyped(OrderId id, String label) {
			this.effects.record(label);
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

		@PostMapping(path = "/open/served/{label}")
		Map<String, Object> serve(@PathVariable String label, @RequestBody(required = false) Order order) {
			if (order != null && order.id() != null) {
				this.served.serveTyped(order.id(), label);
			}
			return Map.of("id", this.served.serve(label));
		}

		@Idempotent(key = "#order.id()")
		@PostMapping("/open/typed/{label}")
		Map<String, Object> typed(@PathVariable String label, @RequestBody Order order) {
			return Map.of("id", this.effects.record(label).getId());
		}

		@Idempotent(key = "'order-' + #order.id()")
		@PostMapping("/open/joined/{label}")
		Map<String, Object> joined(@PathVariable String label, @RequestBody Order order) {
			return Map.of("id", this.effects.record(label).getId());
		}

	}

}
