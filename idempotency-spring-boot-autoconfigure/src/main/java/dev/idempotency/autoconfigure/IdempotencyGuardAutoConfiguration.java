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
package dev.idempotency.autoconfigure;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

import dev.idempotency.aop.AnnotatedTypes;

/**
 * Refuses to start with properties that make no sense, or with annotated operations that
 * are not protected, whatever the reason. Active wherever the library is not switched
 * off.
 */
@AutoConfiguration(after = IdempotencyUseAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public final class IdempotencyGuardAutoConfiguration {

	/**
	 * Before the web server starts, which reports a failure of its own filters first, and
	 * at length.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BeanFactoryPostProcessor idempotencyPropertiesValidator() {
		return (beanFactory) -> beanFactory.getBean(IdempotencyProperties.class);
	}

	@Bean(EnforcementGuard.NAME)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static EnforcementGuard idempotencyEnforcementGuard(ConfigurableApplicationContext context, AnnotatedTypes types,
			LibraryUse use) {
		return new EnforcementGuard(context, types, use);
	}

}
