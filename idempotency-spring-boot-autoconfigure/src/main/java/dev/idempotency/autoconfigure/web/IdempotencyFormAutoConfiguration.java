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
package dev.idempotency.autoconfigure.web;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.support.RequestDataValueProcessor;

import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.web.FormKeyProcessor;
import dev.idempotency.web.endpoint.EndpointRegistry;

/**
 * Keys in forms. Spring MVC gets the hidden fields of a form from one bean with a fixed
 * name: an existing bean, such as Spring Security's, is wrapped. Runs last, so that it
 * finds an existing one.
 */
@AutoConfiguration(after = IdempotencyWebMvcAutoConfiguration.class,
		afterName = "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration")
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass({ RequestDataValueProcessor.class, FormKeyProcessor.class })
@ConditionalOnBean(EndpointRegistry.class)
@ConditionalOnBooleanProperty(name = "idempotency.form.insert-key", matchIfMissing = true)
@Import(EnforcementImport.class)
public final class IdempotencyFormAutoConfiguration {

	private static final String PROCESSOR = "requestDataValueProcessor";

	/**
	 * Comes first, so that its condition does not match the library's own processor.
	 */
	@Bean
	@ConditionalOnBean(name = PROCESSOR)
	static BeanPostProcessor idempotencyFormKeyWrapper(ObjectProvider<EndpointRegistry> endpoints) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				return (name.equals(PROCESSOR) && bean instanceof RequestDataValueProcessor processor)
						? new FormKeyProcessor(processor, endpoints) : bean;
			}

		};
	}

	@Bean(PROCESSOR)
	@ConditionalOnMissingBean(name = PROCESSOR)
	RequestDataValueProcessor idempotencyFormKeys(ObjectProvider<EndpointRegistry> endpoints) {
		return new FormKeyProcessor(null, endpoints);
	}

}
