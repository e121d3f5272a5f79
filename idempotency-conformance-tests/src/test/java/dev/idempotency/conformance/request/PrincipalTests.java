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

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.user.DefaultOAuth2User;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.NamedCallers;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.SharedApplications;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Owner of a key when Spring Security's principal has no name, no stable one, or one that
 * somebody else has at another issuer.
 */
@ExtendWith(OutputCaptureExtension.class)
class PrincipalTests {

	private static final String SHARE = "idempotency.anonymous=share";

	@RegisterExtension
	static final SharedApplications APPLICATIONS = new SharedApplications();

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Orders.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> order(RunningApplication receiver, @Nullable Authentication caller, String path) {
		var request = receiver.anonymous(path + this.key)
			.header("Idempotency-Key", this.key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{}"));
		if (caller != null) {
			String name = UUID.randomUUID().toString();
			NamedCallers.register(name, () -> caller);
			request.header(NamedCallers.HEADER, name);
		}
		return receiver.send(request);
	}

	private HttpResponse<byte[]> order(Authentication caller) {
		return order(application, caller, "/open/orders/");
	}

	private static Authentication user(@Nullable Object principal) {
		return UsernamePasswordAuthenticationToken.authenticated(principal, null, List.of());
	}

	@Test
	@Tag("S10")
	void aPrincipalWithoutANameIsRefusedAndTheLogSaysWhatToDeclare(CapturedOutput output) {
		assertProblem(order(new Nameless(null)), 403, "account-required");
		assertProblem(order(new Nameless("")), 403, "account-required");
		assertProblem(order(new Nameless(" ")), 403, "account-required");
		assertThat(application.effects(this.key)).isZero();
		assertThat(output).contains("IDEM-1102", Nameless.class.getName(), "Declare an AccountResolver bean");
	}

	@Test
	@Tag("S10")
	void aPrincipalWithoutANameIsNotTheSharedAccountEither() {
		RunningApplication sharing = APPLICATIONS.get(Orders.class, SHARE);
		assertProblem(order(sharing, new Nameless(null), "/open/orders/"), 403, "account-required");
		assertProblem(order(sharing, user(""), "/open/orders/"), 403, "account-required");
		assertOriginal(order(sharing, null, "/open/orders/"), 200);
	}

	@Test
	@Tag("S10")
	void aPrincipalThatIsKnownByItsAddressIsRefusedAndNotNewEachTime() {
		for (int i = 0; i < 3; i++) {
			assertProblem(order(user(new Merchant("7"))), 403, "account-required");
			assertProblem(order(user(new Holder(new Merchant("7")))), 403, "account-required");
			assertProblem(order(user(new byte[] { 7 })), 403, "account-required");
		}
		assertThat(application.effects(this.key)).isZero();
	}

	/**
	 * Any of the fields may change between a request and its retry, and the order of a
	 * set differs between nodes.
	 */
	@Test
	@Tag("S10")
	void aPrincipalWhoseTextListsItsFieldsIsRefusedAndNotNewEachTime() {
		for (int i = 0; i < 2; i++) {
			assertProblem(order(user(new Member(7, Instant.now()))), 403, "account-required");
		}
		assertThat(application.effects(this.key)).isZero();
	}

	@Test
	@Tag("S10")
	void aPrincipalWithANameOfItsOwnIsAnAccount() {
		HttpResponse<byte[]> first = order(user(new Customer(7)));
		assertOriginal(first, 200);
		assertReplay(order(user(new Customer(7))), first);
		assertOriginal(order(user(new Customer(8))), 200);
		assertThat(application.effects(this.key)).isEqualTo(2);
	}

	@Test
	@Tag("S11")
	void aSubjectOfTwoIssuersIsTwoAccounts() {
		HttpResponse<byte[]> first = order(bearer("https://one.example", "7"));
		assertOriginal(first, 200);
		assertReplay(order(bearer("https://one.example", "7")), first);
		assertOriginal(order(bearer("https://two.example", "7")), 200);
		assertOriginal(order(bearer(null, "7")), 200);
		assertOriginal(order(user("7")), 200);
		assertThat(application.effects(this.key)).isEqualTo(4);
	}

	@Test
	@Tag("S11")
	void aSubjectOfTwoLoginProvidersIsTwoAccounts() {
		HttpResponse<byte[]> first = order(login("github", "ann"));
		assertOriginal(first, 200);
		assertReplay(order(login("github", "ann")), first);
		assertOriginal(order(login("gitlab", "ann")), 200);
		assertOriginal(order(user("ann")), 200);
		assertThat(application.effects(this.key)).isEqualTo(3);
	}

	@Test
	@Tag("S11")
	void usersOfTwoStoresWithOneNameAreOneAccountUnlessTheApplicationTellsThemApart() {
		User ofTheTable = new User("ann", "", AuthorityUtils.createAuthorityList("ROLE_TABLE"));
		User ofTheDirectory = new User("ann", "", AuthorityUtils.createAuthorityList("ROLE_DIRECTORY"));
		HttpResponse<byte[]> first = order(user(ofTheTable));
		assertOriginal(first, 200);
		assertReplay(order(user(ofTheDirectory)), first);
		try (RunningApplication resolving = RunningApplication.start(List.of(Orders.class, Directories.class))) {
			assertOriginal(order(resolving, user(ofTheTable), "/open/orders/"), 200);
			assertOriginal(order(resolving, user(ofTheDirectory), "/open/orders/"), 200);
			assertThat(resolving.effects(this.key)).isEqualTo(2);
		}
	}

	@Test
	@Tag("S12")
	void namesThatDifferInWhatUtf8CannotEncodeAreTwoAccounts() {
		HttpResponse<byte[]> first = order(user("bob\ud800"));
		assertOriginal(first, 200);
		assertOriginal(order(user("bob?")), 200);
		assertOriginal(order(user("bob\ud801")), 200);
		assertReplay(order(user("bob\ud800")), first);
		assertThat(application.effects(this.key)).isEqualTo(3);
	}

	@Test
	@Tag("S13")
	void anAnonymousCallerOfAProtectedServiceIsRefused() {
		assertProblem(order(application, null, "/open/served/"), 403, "account-required");
		assertThat(application.effects(this.key)).isZero();
		assertOriginal(order(application, user("ann"), "/open/served/"), 200);
	}

	@Test
	@Tag("S13")
	void aThreadWithoutACallerActsForTheApplication() {
		Served served = application.context().getBean(Served.class);
		String first = served.serve(this.key);
		assertThat(served.serve(this.key)).isEqualTo(first);
		assertThat(application.effects(this.key)).isEqualTo(1);
	}

	@Test
	@Tag("S13")
	void anonymousCallersOfAProtectedServiceShareWhereTheSettingSaysSo() {
		RunningApplication sharing = APPLICATIONS.get(Orders.class, SHARE);
		HttpResponse<byte[]> first = order(sharing, null, "/open/served/");
		assertOriginal(first, 200);
		assertThat(order(sharing, null, "/open/served/").body()).isEqualTo(first.body());
		assertThat(sharing.effects(this.key)).isEqualTo(1);
	}

	private static Authentication bearer(@Nullable String issuer, String subject) {
		Jwt.Builder token = Jwt.withTokenValue("token").header("alg", "none").subject(subject).expiresAt(Instant.MAX);
		if (issuer != null) {
			token.issuer(issuer);
		}
		return new JwtAuthenticationToken(token.build(), List.of());
	}

	private static Authentication login(String registration, String name) {
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
