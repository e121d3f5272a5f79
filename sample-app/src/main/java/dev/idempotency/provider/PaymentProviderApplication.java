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
package dev.idempotency.provider;

import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJpaAutoConfiguration;
import dev.idempotency.autoconfigure.web.IdempotencyWebMvcAutoConfiguration;

/**
 * The provider's application. It imports only the auto-configurations that it needs,
 * since the class path is that of the sample: Spring Security and the actuator, for
 * instance, would cost half a second at start-up.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@AutoConfigurationPackage
@ImportAutoConfiguration({ ConfigurationPropertiesAutoConfiguration.class,
		TomcatServletWebServerAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
		WebMvcAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class, JacksonAutoConfiguration.class,
		DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class,
		HibernateJpaAutoConfiguration.class, TransactionAutoConfiguration.class, FlywayAutoConfiguration.class,
		IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class,
		IdempotencyJpaAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class })
@Import({ ChargeController.class, ChargeRepository.class, DashboardController.class, ErrorAdvice.class,
		FaultSwitches.class })
class PaymentProviderApplication {

	/**
	 * A key belongs to the merchant who uses it.
	 */
	@Bean
	AccountResolver merchants() {
		return () -> Account.of(ApiKeyFilter.currentMerchant());
	}

	@Bean
	FilterRegistrationBean<ApiKeyFilter> apiKeyFilter(ProviderSettings settings, JsonMapper mapper) {
		FilterRegistrationBean<ApiKeyFilter> registration = new FilterRegistrationBean<>(
				new ApiKeyFilter(settings.apiKey(), mapper));
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
		return registration;
	}

	@Bean
	FilterRegistrationBean<FaultFilter> faultFilter(FaultSwitches faults, JsonMapper mapper) {
		FilterRegistrationBean<FaultFilter> registration = new FilterRegistrationBean<>(
				new FaultFilter(faults, mapper));
		registration.addUrlPatterns("/v1/*");
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
		return registration;
	}

	@Bean
	FilterRegistrationBean<ProblemFilter> problemFilter(JsonMapper mapper) {
		FilterRegistrationBean<ProblemFilter> registration = new FilterRegistrationBean<>(new ProblemFilter(mapper));
		registration.addUrlPatterns("/v1/*");
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 2);
		return registration;
	}

	@Bean
	WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> lostAnswers() {
		return (factory) -> factory.addEngineValves(new LostAnswerValve());
	}

}
