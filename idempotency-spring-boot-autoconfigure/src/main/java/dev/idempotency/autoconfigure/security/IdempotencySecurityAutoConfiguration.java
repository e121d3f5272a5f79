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

import java.util.Objects;
import java.util.function.Supplier;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.account.AccountResolver;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.engine.identity.CallerAccounts.SenderSource;
import dev.idempotency.engine.identity.IdentityFactory;

/**
 * Auto-configuration of the caller's identity with Spring Security: the authenticated
 * principal.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration")
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass(name = "org.springframework.security.core.context.SecurityContextHolder")
@Import(EnforcementImport.class)
public final class IdempotencySecurityAutoConfiguration {

	private static final String AUTHORITY = "idempotency.completer.authority";

	@Bean
	@ConditionalOnMissingBean
	AccountResolver idempotencyAccountResolver(ObjectProvider<SecurityContextHolderStrategy> holder) {
		return new PrincipalAccountResolver(holder(holder));
	}

	@Bean
	@ConditionalOnMissingBean
	SenderSource idempotencySenderSource(ObjectProvider<AccountResolver> resolver,
			ObjectProvider<AccountRunner> runners, ObjectProvider<SpringSecurityAccountRunner> runner,
			ObjectProvider<SecurityContextHolderStrategy> holder) {
		SingletonSupplier<Boolean> textsAreNames = SingletonSupplier
			.of(() -> resolver.stream().anyMatch((found) -> !(found instanceof PrincipalAccountResolver))
					|| runners.stream().anyMatch((found) -> !(found instanceof SpringSecurityAccountRunner)));
		return new AuthenticatedSenders(textsAreNames::obtain, runner::getIfAvailable, holder(holder));
	}

	/**
	 * Returns the strategy that holds callers: the bean if there is exactly one, as
	 * Spring Security does, and otherwise the static one at the time of the call.
	 */
	private static Supplier<SecurityContextHolderStrategy> holder(ObjectProvider<SecurityContextHolderStrategy> beans) {
		SecurityContextHolderStrategy own = beans.getIfUnique();
		return (own != null) ? () -> own : SecurityContextHolder::getContextHolderStrategy;
	}

	/**
	 * Configuration with users that can be loaded by their names.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional(OnOwnUsers.class)
	static class Users {

		@Bean
		@ConditionalOnMissingBean(AccountRunner.class)
		SpringSecurityAccountRunner idempotencyAccountRunner(UserDetailsService users,
				ObjectProvider<IdentityFactory> identities, Environment environment,
				ObjectProvider<SecurityContextHolderStrategy> holder) {
			boolean storedAuthority = "stored".equalsIgnoreCase(environment.getProperty(AUTHORITY));
			return new SpringSecurityAccountRunner(users, () -> identities.getObject().keys(), storedAuthority,
					holder(holder));
		}

	}

	/**
	 * Configuration without such users, where the authorities of then are enough.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = AUTHORITY, havingValue = "stored")
	static class StoredAuthority {

		@Bean
		@ConditionalOnMissingBean(AccountRunner.class)
		SpringSecurityAccountRunner idempotencyStoredAccountRunner(ObjectProvider<IdentityFactory> identities,
				ObjectProvider<SecurityContextHolderStrategy> holder) {
			return new SpringSecurityAccountRunner(null, () -> identities.getObject().keys(), true, holder(holder));
		}

	}

	/**
	 * Matches if the only {@code UserDetailsService} is the application's own. The one
	 * that Spring Boot generates has one user with a generated password; callers of an
	 * application that authenticates in another way are unknown to it.
	 */
	static final class OnOwnUsers extends SpringBootCondition implements ConfigurationCondition {

		private static final String GENERATED = "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration";

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConditionMessage.Builder message = ConditionMessage.forCondition("own UserDetailsService");
			ConfigurableListableBeanFactory beans = Objects.requireNonNull(context.getBeanFactory());
			String[] names = beans.getBeanNamesForType(UserDetailsService.class, true, false);
			if (names.length != 1) {
				return ConditionOutcome.noMatch(message.because("there are " + names.length));
			}
			return isGenerated(beans, names[0])
					? ConditionOutcome.noMatch(message.because("the only one is Spring Boot's generated user"))
					: ConditionOutcome.match(message.foundExactly(names[0]));
		}

		private static boolean isGenerated(ConfigurableListableBeanFactory beans, String name) {
			return beans.containsBeanDefinition(name)
					&& GENERATED.equals(beans.getBeanDefinition(name).getFactoryBeanName());
		}

	}

}
