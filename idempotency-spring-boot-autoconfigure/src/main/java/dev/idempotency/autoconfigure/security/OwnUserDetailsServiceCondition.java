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

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.security.core.userdetails.UserDetailsService;

/**
 * Matches if the only {@code UserDetailsService} is the application's own. The one that
 * Spring Boot generates has one user with a generated password; callers of an application
 * that authenticates in another way are unknown to it.
 */
final class OwnUserDetailsServiceCondition extends SpringBootCondition implements ConfigurationCondition {

	private static final String GENERATED = "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration";

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("own UserDetailsService");
		ConfigurableListableBeanFactory beans = context.getBeanFactory();
		if (beans == null) {
			return ConditionOutcome.noMatch(message.because("there is no bean factory"));
		}
		String[] names = beans.getBeanNamesForType(UserDetailsService.class, true, false);
		if (names.length != 1) {
			return ConditionOutcome.noMatch(message.because("there are " + names.length));
		}
		return isGenerated(beans, names[0])
				? ConditionOutcome.noMatch(message.because("the only one is Spring Boot's generated user"))
				: ConditionOutcome.match(message.foundExactly(names[0]));
	}

	private static boolean isGenerated(ConfigurableListableBeanFactory beans, String name) {
		if (!beans.containsBeanDefinition(name)) {
			return false;
		}
		BeanDefinition definition = beans.getBeanDefinition(name);
		return GENERATED.equals(definition.getFactoryBeanName());
	}

}
