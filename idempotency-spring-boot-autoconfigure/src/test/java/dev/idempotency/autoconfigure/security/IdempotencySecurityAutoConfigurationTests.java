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

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.security.autoconfigure.SecurityProperties;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.user.DefaultOAuth2User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.account.Sender;
import dev.idempotency.account.Sender.Kind;
import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.autoconfigure.TestContexts;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("S6")
@ExtendWith(OutputCaptureExtension.class)
class IdempotencySecurityAutoConfigurationTests {

	private static final String WARNING = "All callers are one account";

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase()
		.withUserConfiguration(TestContexts.InUse.class);

	@AfterEach
	void nobody() {
		SecurityContextHolder.clearContext();
	}

	@Test
	void theAccountIsTheAuthenticatedPrincipal(CapturedOutput output) {
		this.contextRunner.run((context) -> {
			SecurityContextHolder.getContext()
				.setAuthentication(UsernamePasswordAuthenticationToken.authenticated("alice", "secret", List.of()));
			assertThat(context.getBean(AccountResolver.class).resolve()).isEqualTo(Account.of("alice"));
		});
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void anonymousAndUnauthenticatedCallersHaveNoAccount() {
		this.contextRunner.run((context) -> {
			AccountResolver accounts = context.getBean(AccountResolver.class);
			assertThat(accounts.resolve()).isNull();
			SecurityContextHolder.getContext()
				.setAuthentication(new AnonymousAuthenticationToken("key", "anonymousUser",
						AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")));
			assertThat(accounts.resolve()).isNull();
			SecurityContextHolder.getContext()
				.setAuthentication(UsernamePasswordAuthenticationToken.unauthenticated("mallory", "guess"));
			assertThat(accounts.resolve()).isNull();
		});
	}

	@Test
	void withoutSpringSecurityAllCallersAreOneAccountAndOneLineSaysSo(CapturedOutput output) {
		this.contextRunner.withClassLoader(new FilteredClassLoader(SecurityContextHolder.class))
			.run((context) -> assertThat(context.getBean(AccountResolver.class).resolve()).isEqualTo(Account.SHARED));
		assertThat(output.getOut().split(WARNING, -1)).hasSize(2);
	}

	@Test
	@Tag("S11")
	void theIssuerIsPartOfTheAccount() {
		this.contextRunner.withUserConfiguration(Properties.class).run((context) -> {
			login();
			assertThat(context.getBean(AccountResolver.class).resolve())
				.isEqualTo(Account.of("ann").withIssuer("registration:github"));
		});
	}

	@Test
	@Tag("S11")
	void withoutTheClassesOfTokensNamesAreAccounts() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.security.oauth2"))
			.run((context) -> {
				SecurityContextHolder.getContext()
					.setAuthentication(UsernamePasswordAuthenticationToken.authenticated("alice", "", List.of()));
				assertThat(context.getBean(AccountResolver.class).resolve()).isEqualTo(Account.of("alice"));
			});
	}

	@Test
	@Tag("Y9")
	void theGeneratedUserOfSpringBootIsNoUserService() {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(IdempotencySecurityAutoConfiguration.class,
					UserDetailsServiceAutoConfiguration.class))
			.withUserConfiguration(Properties.class)
			// Beside the classes of OAuth 2.0 there is one only with properties.
			.withPropertyValues("spring.security.user.name=alice", "spring.security.user.password=secret")
			.run((context) -> assertThat(context).hasSingleBean(UserDetailsService.class)
				.doesNotHaveBean(AccountRunner.class));
	}

	@Test
	@Tag("Y9")
	void ofSeveralUserServicesNoneIsTheOneThatKnowsTheSender() {
		this.contextRunner.withBean(UserDetailsService.class, InMemoryUserDetailsManager::new)
			.run((context) -> assertThat(context).hasSingleBean(AccountRunner.class));
		this.contextRunner.withBean("one", UserDetailsService.class, InMemoryUserDetailsManager::new)
			.withBean("two", UserDetailsService.class, InMemoryUserDetailsManager::new)
			.run((context) -> assertThat(context).doesNotHaveBean(AccountRunner.class));
	}

	@Test
	@Tag("P12")
	void theAuthoritiesOfThenAreEnoughOnlyWhereTheApplicationSaysSo() {
		Sender bearer = new Sender(Account.of("ann"), Kind.OTHER, "", "a.Token", "a.Principal", Set.of("ROLE_USER"),
				Set.of(), "");
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(AccountRunner.class));
		this.contextRunner.withPropertyValues("idempotency.completer.authority=stored")
			.run((context) -> assertThat(context.getBean(AccountRunner.class).supports(bearer)).isTrue());
		this.contextRunner.withBean(UserDetailsService.class, InMemoryUserDetailsManager::new)
			.run((context) -> assertThat(context.getBean(AccountRunner.class).supports(bearer)).isFalse());
		this.contextRunner.withBean(UserDetailsService.class, InMemoryUserDetailsManager::new)
			.withPropertyValues("idempotency.completer.authority=stored")
			.run((context) -> assertThat(context.getBean(AccountRunner.class).supports(bearer)).isTrue());
	}

	private static void login() {
		var authorities = AuthorityUtils.createAuthorityList("ROLE_USER");
		SecurityContextHolder.getContext()
			.setAuthentication(new OAuth2AuthenticationToken(
					new DefaultOAuth2User(authorities, Map.of("login", "ann"), "login"), authorities, "github"));
	}

	@Test
	void isSwitchedOffByItsProperty() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(AccountResolver.class));
	}

	@Test
	void backsOffForTheResolverOfTheApplicationAndDoesNotWarn(CapturedOutput output) {
		AccountResolver own = () -> Account.of("tenant", "bob");
		this.contextRunner.withBean(AccountResolver.class, () -> own)
			.run((context) -> assertThat(context).getBean(AccountResolver.class).isSameAs(own));
		this.contextRunner.withBean(AccountResolver.class, () -> own)
			.withClassLoader(new FilteredClassLoader(SecurityContextHolder.class))
			.run((context) -> assertThat(context).getBean(AccountResolver.class).isSameAs(own));
		assertThat(output).doesNotContain(WARNING);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties({ IdempotencyProperties.class, SecurityProperties.class })
	static class Properties {

	}

}
