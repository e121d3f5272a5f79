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
package dev.idempotency.sample.demo;

import dev.idempotency.provider.LostAnswerValve;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Faults on demand, unless {@code sample.demo.enabled} is {@code false}. The filter comes
 * after Spring Security's: an unknown caller gets a 401, and no fault.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "sample.demo.enabled", matchIfMissing = true)
class DemoConfiguration {

	@Bean
	FilterRegistrationBean<DemoFaultFilter> demoFaultFilter() {
		return new FilterRegistrationBean<>(new DemoFaultFilter());
	}

	@Bean
	WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> demoLostAnswers() {
		return (factory) -> factory.addEngineValves(new LostAnswerValve());
	}

	@Bean
	static MortalStore mortalStore() {
		return new MortalStore();
	}

}
