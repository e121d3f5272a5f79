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
package dev.idempotency.conformance.phase;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.security.provisioning.UserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.switchuser.SwitchUserGrantedAuthority;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.NamedCallers;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.operator.UnfinishedRequests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.security.config.Customizer.withDefaults;

/**
 * The completer acts as the sender did, or not at all. It leaves requests to their
 * senders for an hour here, and takes up what an operator lets go on at once.
 */
@Tag("P12")
class CompleterSenderTests {

	private static final String[] SETTINGS = { "idempotency.completer.interval=20ms", "idempotency.completer.after=1h",
			"idempotency.reaper.interval=50ms" };

	private static final String CLIENT = "X-Client";

	private static RunningApplication application;

	private static UnfinishedRequests requests;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Vault.class, Secured.class), SETTINGS);
		requests = application.context().getBean(UnfinishedRequests.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aUserWithAPasswordIsTheControl() {
		create("control", "CUSTOMER");
		String id = interrupt(application, basic("control", "/open/full-vault"), "control");
		awaitCompleted(id);
		assertThat(application.effects("control done by control with ROLE_CUSTOMER")).isEqualTo(1);
	}

	@Test
	void aRememberedUserIsNotCompletedWithTheAuthorityOfALogin() {
		UserDetails user = create("remembered", "CUSTOMER");
		Authentication caller = new RememberMeAuthenticationToken("key", user, user.getAuthorities());
		assertStuck(interrupt(application, as(caller, "remembered", "/open/vault"), "remembered"), "remembered",
				"remembered");
	}

	@Test
	void aRoleThatWasAddedStopsTheCompleter() {
		create("suspended", "CUSTOMER");
		String id = interrupt(application, basic("suspended", "/open/vault"), "suspended");
		users().updateUser(user("suspended", "CUSTOMER", "SUSPENDED"));
		assertStuck(id, "suspended", "authorities");
	}

	@Test
	void aRoleThatWasRevokedStopsTheCompleterWhateverChainHasAskedForIt() {
		create("payer", "PAYER", "CUSTOMER");
		HttpRequest.Builder request = basic("payer", "/open/vault").header(CLIENT, "terminal");
		String id = interrupt(application, request, "payer");
		users().updateUser(user("payer", "CUSTOMER"));
		assertThat(application.send(request).statusCode()).as("the sender's own retry").isEqualTo(403);
		assertStuck(id, "payer", "authorities");
	}

	@Test
	void aUserWhoWasCreatedAgainIsAnotherUser() {
		create("again", "CUSTOMER");
		String id = interrupt(application, basic("again", "/open/vault"), "again");
		users().deleteUser("again");
		users().createUser(User.withUserDetails(user("again", "CUSTOMER")).password("{noop}another").build());
		assertStuck(id, "again", "same user");
	}

	@Test
	void aUserWhoIsGoneDisabledOrLockedIsStuckAtOnce() {
		create("gone", "CUSTOMER");
		create("disabled", "CUSTOMER");
		create("locked", "CUSTOMER");
		String gone = interrupt(application, basic("gone", "/open/vault"), "gone");
		String disabled = interrupt(application, basic("disabled", "/open/vault"), "disabled");
		String locked = interrupt(application, basic("locked", "/open/vault"), "locked");
		users().deleteUser("gone");
		users().updateUser(User.withUserDetails(user("disabled", "CUSTOMER")).disabled(true).build());
		users().updateUser(User.withUserDetails(user("locked", "CUSTOMER")).accountLocked(true).build());
		assertStuck(gone, "gone", "UsernameNotFoundException");
		assertStuck(disabled, "disabled", "DisabledException");
		assertStuck(locked, "locked", "LockedException");
	}

	@Test
	void aSwitchedUserIsNotCompleted() {
		UserDetails user = create("switched", "CUSTOMER");
		Authentication admin = UsernamePasswordAuthenticationToken.authenticated("admin", null, List.of());
		Authentication caller = authenticated(user, factor(FactorGrantedAuthority.PASSWORD_AUTHORITY),
				new SwitchUserGrantedAuthority("ROLE_PREVIOUS_ADMINISTRATOR", admin));
		assertStuck(interrupt(application, as(caller, "switched", "/open/vault"), "switched"), "switched", "switched");
	}

	@Test
	void aTokenUserIsNotTheLocalUserOfThatNameWhateverFactorsTheTokenHas() {
		UserDetails user = create("bearer", "CUSTOMER");
		assertStuck(interrupt(application, as(jwt("bearer"), "bearer-jwt", "/open/vault"), "bearer-jwt"), "bearer-jwt",
				"JwtAuthenticationToken");
		Authentication both = authenticated(user, factor(FactorGrantedAuthority.PASSWORD_AUTHORITY),
				factor(FactorGrantedAuthority.BEARER_AUTHORITY));
		assertStuck(interrupt(application, as(both, "bearer-both", "/open/vault"), "bearer-both"), "bearer-both",
				"FACTOR_BEARER");
	}

	@Test
	void factorsOfAuthenticationAreTheSendersAndNoPartOfTheComparison() {
		UserDetails user = create("factors", "CUSTOMER");
		Authentication caller = authenticated(user, factor(FactorGrantedAuthority.PASSWORD_AUTHORITY),
				factor(FactorGrantedAuthority.OTT_AUTHORITY));
		awaitCompleted(interrupt(application, as(caller, "factors", "/open/factor-vault"), "factors"));
		assertThat(application.effects("factors done by factors with ROLE_CUSTOMER")).isEqualTo(1);
	}

	@Test
	void methodSecurityIsAskedAgain() {
		create("gated", "CUSTOMER");
		String id = interrupt(application, basic("gated", "/open/gated-vault"), "gated");
		Vault.CLOSED.add("gated");
		assertThat(requests.retry(id)).isTrue();
		await().untilAsserted(
				() -> assertThat(requests.find(id).orElseThrow().lastError()).contains("AuthorizationDeniedException"));
		assertThat(Vault.runs("gated")).isEqualTo(1);
	}

	@Test
	void theSenderOfAStuckRequestResumesIt() {
		Authentication caller = jwt("resuming");
		HttpRequest.Builder request = as(caller, "resuming", "/open/vault");
		String id = interrupt(application, request, "resuming");
		assertStuck(id, "resuming", "SenderRefusedException");
		assertThat(application.send(request).statusCode()).isEqualTo(200);
		assertThat(requests.find(id)).isEmpty();
		assertThat(application.effects("resuming done by resuming with ROLE_CUSTOMER")).isEqualTo(1);
	}

	@Test
	void withTheAuthoritiesOfThenTheBearerOfATokenIsCompletedAndARememberedUserIsNot() {
		try (RunningApplication trusting = RunningApplication.start(List.of(Vault.class, Secured.class),
				Stream.concat(Arrays.stream(SETTINGS), Stream.of("idempotency.completer.authority=stored"))
					.toArray(String[]::new))) {
			UnfinishedRequests own = trusting.context().getBean(UnfinishedRequests.class);
			String token = interrupt(trusting, as(trusting, jwt("stored"), "stored", "/open/vault"), "stored");
			assertThat(own.retry(token)).isTrue();
			await().until(() -> own.find(token).isEmpty());
			assertThat(trusting.effects("stored done by stored with ROLE_CUSTOMER")).isEqualTo(1);
			UserDetails alice = trusting.context().getBean(UserDetailsService.class).loadUserByUsername("alice");
			Authentication caller = new RememberMeAuthenticationToken("key", alice, alice.getAuthorities());
			String remembered = interrupt(trusting, as(trusting, caller, "stored-not", "/open/vault"), "stored-not");
			assertThat(own.retry(remembered)).isTrue();
			await().until(() -> own.find(remembered).orElseThrow().state() == State.STUCK);
			assertThat(Vault.runs("stored-not")).isEqualTo(1);
		}
	}

	private static Authentication jwt(String name) {
		Jwt jwt = Jwt.withTokenValue("token").header("alg", "none").subject(name).issuer("https://one.example").build();
		return new JwtAuthenticationToken(jwt, AuthorityUtils.createAuthorityList("ROLE_CUSTOMER"));
	}

	private static GrantedAuthority factor(String name) {
		return FactorGrantedAuthority.fromAuthority(name);
	}

	private static Authentication authenticated(UserDetails user, GrantedAuthority... more) {
		return UsernamePasswordAuthenticationToken.authenticated(user, null,
				Stream.concat(user.getAuthorities().stream(), Stream.of(more)).toList());
	}

	private static UserDetails create(String name, String... roles) {
		users().createUser(user(name, roles));
		return user(name, roles);
	}

	private static UserDetails user(String name, String... roles) {
		return User.withUsername(name).password("{noop}" + name).roles(roles).build();
	}

	private static UserDetailsManager users() {
		return (UserDetailsManager) application.context().getBean(UserDetailsService.class);
	}

	private static HttpRequest.Builder basic(String name, String path) {
		return application.json(name, path, Labelled.json(name)).header("Idempotency-Key", name);
	}

	private static HttpRequest.Builder as(Authentication caller, String label, String path) {
		return as(application, caller, label, path);
	}

	private static HttpRequest.Builder as(RunningApplication running, Authentication caller, String label,
			String path) {
		NamedCallers.register(label, () -> caller);
		return running.anonymous(path)
			.header(NamedCallers.HEADER, label)
			.header("Idempotency-Key", label)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(Labelled.json(label)));
	}

	/**
	 * Sends a request that fails after its first step.
	 * @return the id of the request
	 */
	private static String interrupt(RunningApplication running, HttpRequest.Builder request, String label) {
		Vault.FAILING.add(label);
		HttpResponse<byte[]> response = running.send(request);
		assertThat(response.statusCode()).isEqualTo(500);
		Vault.FAILING.remove(label);
		UnfinishedRequests own = running.context().getBean(UnfinishedRequests.class);
		return own.open(100)
			.stream()
			.filter((open) -> label.equals(own.export(open.id()).orElseThrow().steps().get("begun").replace("\"", "")))
			.findFirst()
			.orElseThrow()
			.id();
	}

	private static void awaitCompleted(String id) {
		assertThat(requests.retry(id)).isTrue();
		await().until(() -> requests.find(id).isEmpty());
	}

	/**
	 * Asserts that the completer gives a request up at its first attempt.
	 */
	private static void assertStuck(String id, String label, String reason) {
		int attempts = requests.find(id).orElseThrow().attempts();
		assertThat(requests.retry(id)).isTrue();
		await().untilAsserted(() -> assertThat(requests.find(id).map(UnfinishedRequest::state)).contains(State.STUCK));
		assertThat(requests.find(id).orElseThrow().attempts()).isEqualTo(attempts + 1);
		assertThat(requests.find(id).orElseThrow().lastError()).contains("SenderRefusedException", reason);
		assertThat(Vault.runs(label)).as("runs of the handler").isEqualTo(1);
		assertThat(requests.stuck(100)).extracting(UnfinishedRequest::id).contains(id);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class Secured {

		/**
		 * A chain that only a header leads to, which no stored request has.
		 */
		@Bean
		@Order(1)
		SecurityFilterChain terminals(HttpSecurity http) {
			return http.securityMatcher((request) -> request.getHeader(CLIENT) != null)
				.csrf((csrf) -> csrf.disable())
				.httpBasic(withDefaults())
				.authorizeHttpRequests((all) -> all.anyRequest().hasRole("PAYER"))
				.build();
		}

	}

}
