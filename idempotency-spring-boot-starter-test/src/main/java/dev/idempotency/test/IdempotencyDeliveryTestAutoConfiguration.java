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
package dev.idempotency.test;

import java.util.Map;
import java.util.function.Supplier;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.resttestclient.autoconfigure.RestTestClientBuilderCustomizer;
import org.springframework.boot.webmvc.test.autoconfigure.MockMvcBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.test.web.servlet.MockMvc;

/**
 * {@link WithIdempotencyKey} and {@link DeliverTwice} in the clients that Spring Boot
 * configures for tests.
 */
@AutoConfiguration
final class IdempotencyDeliveryTestAutoConfiguration {

	@Bean
	TestRequests idempotencyTestRequests(Environment environment, ListableBeanFactory beanFactory) {
		Supplier<Map<String, EffectProbe>> probes = () -> beanFactory.getBeansOfType(EffectProbe.class);
		return new TestRequests(TestRequests.KeyField.of(environment), probes);
	}

	@Bean
	IdempotencyRequestInterceptor idempotencyRequestInterceptor(TestRequests requests) {
		return new IdempotencyRequestInterceptor(requests);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RestTestClientBuilderCustomizer.class)
	static class RestTestClients {

		@Bean
		RestTestClientBuilderCustomizer idempotencyRestTestClientCustomizer(IdempotencyRequestInterceptor interceptor) {
			return (builder) -> builder.requestInterceptor(interceptor);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MockMvcBuilderCustomizer.class)
	static class MockMvcs {

		/**
		 * Registers before Spring Boot's customizer, which adds the filters of the
		 * application.
		 */
		@Bean
		@Order(Ordered.HIGHEST_PRECEDENCE)
		MockMvcBuilderCustomizer idempotencyMockMvcCustomizer(TestRequests requests, ObjectProvider<MockMvc> mockMvc) {
			return new MockMvcDelivery(requests, mockMvc::getObject)::customize;
		}

	}

}
