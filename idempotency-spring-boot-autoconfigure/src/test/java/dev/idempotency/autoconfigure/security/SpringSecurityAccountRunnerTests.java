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

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.ott.OneTimeTokenAuthentication;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.authentication.preauth.PreAuthenticatedAuthenticationToken;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.account.Sender.Kind;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.exception.SenderRefusedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Senders as they are described with a request, and established again for the completer.
 */
@Tag("P12")
class SpringSecurityAccountRunnerTests {

	private static final UserDetails ANN = User.withUsername("ann").password("{noop}ann").roles("PAYER").build();

	private final InMemoryUserDetailsManager users = new InMemoryUserDetailsManager(ANN);

	@AfterEach
	void nobody() {
		SecurityContextHolder.clearContext();
	}

	private Sender describe(@Nullable Authentication authentication, Account account) {
		SecurityContextHolder.getContext().setAuthentication(authentication);
		AuthenticatedSenders senders = new AuthenticatedSenders(() -> false, () -> runner(this.users, false),
				SecurityContextHolder::getContextHolderStrategy);
		Sender sender = senders.describe(account);
		SecurityContextHolder.clearContext();
		return sender;
	}

	private static @Nullable Authentication run(SpringSecurityAccountRunner runner, Sender sender) throws Exception {
		AtomicReference<@Nullable Authentication> acting = new AtomicReference<>();
		runner.run(sender, () -> acting.set(SecurityContextHolder.getContext().getAuthentication()));
		assertThat(SecurityContextHolder.getContext().getAuthentication()).as("afterwards").isNull();
		return acting.get();
	}

	private SpringSecurityAccountRunner runner(UserDetailsService service, boolean stored) {
		return new SpringSecurityAccountRunner(service, DigestKeys::none, stored,
				SecurityContextHolder::getContextHolderStrategy);
	}

	static Stream<Authentication> logins() {
		List<GrantedAuthority> authorities = List.of(new SimpleGrantedAuthority("ROLE_PAYER"),
				FactorGrantedAuthority.fromAuthority(FactorGrantedAuthority.PASSWORD_AUTHORITY));
		return Stream.of(UsernamePasswordAuthenticationToken.authenticated(ANN, null, authorities),
				new OneTimeTokenAuthentication(ANN, authorities),
				new PreAuthenticatedAuthenticationToken(ANN, "", authorities));
	}

	@ParameterizedTest
	@MethodSource("logins")
	void eachLoginIsEstablishedAgainAsItWas(Authentication login) throws Exception {
		Sender sender = describe(login, Account.of("ann"));
		assertThat(sender.kind()).isEqualTo(Kind.USER);
		Authentication acting = run(runner(this.users, false), sender);
		assertThat(acting).hasSameClassAs(login);
		assertThat(AuthorityUtils.authorityListToSet(acting.getAuthorities()))
			.isEqualTo(AuthorityUtils.authorityListToSet(login.getAuthorities()));
		assertThat(acting.getAuthorities()).filteredOn(FactorGrantedAuthority.class::isInstance)
			.extracting((factor) -> ((FactorGrantedAuthority) factor).getIssuedAt())
			.containsExactly(Instant.EPOCH);
		assertThat(((UserDetails) acting.getPrincipal()).getPassword()).as("erased").isNull();
	}

	@Test
	void anAuthenticationOfTheApplicationsOwnClassIsNoLogin() {
		Authentication own = new UsernamePasswordAuthenticationToken(ANN, null,
				AuthorityUtils.createAuthorityList("ROLE_PAYER")) {
		};
		assertThat(describe(own, Account.of("ann")).kind()).isEqualTo(Kind.OTHER);
	}

	@Test
	void aUserWithoutAPasswordIsNotRecognised() {
		Sender sender = describe(logins().findFirst().orElseThrow(), Account.of("ann"));
		UserDetailsService directory = (name) -> new User("ann", "", ANN.getAuthorities());
		assertThat(runner(directory, false).digest("ann")).isEmpty();
		assertThat(runner(this.users, false).supports(withDigest(sender, ""))).isFalse();
		assertThat(runner(this.users, false).supports(sender)).isTrue();
	}

	@Test
	void aUserOfAnotherClassIsRefused() {
		Sender sender = describe(logins().findFirst().orElseThrow(), Account.of("ann"));
		UserDetailsService other = (name) -> new User(ANN.getUsername(), ANN.getPassword(), ANN.getAuthorities()) {
		};
		assertThatExceptionOfType(SenderRefusedException.class).isThrownBy(() -> run(runner(other, false), sender))
			.withMessageContaining("has loaded a");
	}

	@Test
	void aTenantIsRefused() {
		Sender sender = describe(logins().findFirst().orElseThrow(), Account.of("acme", "ann"));
		assertThat(runner(this.users, false).supports(sender)).isFalse();
	}

	@Test
	void aUserServiceThatFailsRefusesNobody() {
		Sender sender = describe(logins().findFirst().orElseThrow(), Account.of("ann"));
		UserDetailsService failing = (name) -> {
			throw new AuthenticationServiceException("no connection");
		};
		assertThatExceptionOfType(AuthenticationServiceException.class)
			.isThrownBy(() -> run(runner(failing, false), sender));
		assertThat(runner(failing, false).digest("ann")).isEmpty();
	}

	@Test
	void anAnonymousSenderActsAnonymously() throws Exception {
		Authentication anonymous = new AnonymousAuthenticationToken("key", "anonymousUser",
				AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));
		Authentication acting = run(runner(this.users, false), describe(anonymous, Account.SHARED));
		assertThat(acting).isInstanceOf(AnonymousAuthenticationToken.class);
		assertThat(AuthorityUtils.authorityListToSet(acting.getAuthorities())).containsExactly("ROLE_ANONYMOUS");
		assertThat(run(runner(this.users, false), describe(null, Account.SHARED))).isNull();
	}

	@Test
	void aNameThatMayBeACredentialIsNotEstablished() {
		Authentication key = new UsernamePasswordAuthenticationToken("sk_live_1", "sk_live_1",
				AuthorityUtils.createAuthorityList("ROLE_PAYER"));
		Sender sender = describe(key, Account.of("sk_live_1"));
		assertThat(sender.account().id()).isEqualTo(Sender.WITHHELD);
		assertThat(runner(this.users, true).supports(sender)).isFalse();
	}

	@Test
	void aStoredSenderIsTheAccountOfThen() throws Exception {
		Account account = Account.of("acme", "bob").withIssuer("https://one.example");
		Sender sender = new Sender(account, Kind.OTHER, "", "a.Token", "a.Principal", Set.of("ROLE_PAYER"), Set.of(),
				"");
		SpringSecurityAccountRunner runner = runner(this.users, true);
		AtomicReference<@Nullable Account> resolved = new AtomicReference<>();
		runner.run(sender, () -> resolved
			.set(new PrincipalAccountResolver(SecurityContextHolder::getContextHolderStrategy).resolve()));
		assertThat(resolved.get()).isEqualTo(account);
		Authentication acting = run(runner, sender);
		assertThat(acting).isNotNull();
		assertThat(acting.getName()).isEqualTo("bob");
		assertThat(acting.isAuthenticated()).isTrue();
	}

	private static Sender withDigest(Sender sender, String digest) {
		return new Sender(sender.account(), sender.kind(), sender.name(), sender.authenticationType(),
				sender.principalType(), sender.authorities(), sender.factors(), digest);
	}

}
