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
package dev.idempotency.autoconfigure.client;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;

import dev.idempotency.client.ClientSettings;
import dev.idempotency.client.IdempotencyClientInterceptor;
import dev.idempotency.client.IdempotencyExchangeFilter;
import dev.idempotency.client.IdempotencyKeyGenerator;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyClientAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(IdempotencyClientAutoConfiguration.class, RestClientAutoConfiguration.class,
					RestTemplateAutoConfiguration.class, WebClientAutoConfiguration.class));

	@Test
	void clientsAreLeftAloneUnlessTheApplicationAsks() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(IdempotencyClientInterceptor.class)
				.hasSingleBean(IdempotencyExchangeFilter.class);
			assertThat(interceptors(context.getBean(RestClient.Builder.class))).isEmpty();
			assertThat(context.getBean(RestTemplateBuilder.class).build().getInterceptors()).isEmpty();
			assertThat(filters(context.getBean(WebClient.Builder.class))).isEmpty();
		});
	}

	@Test
	void withItsPropertyEveryClientThatSpringBootBuildsHasItOutermost() {
		ClientHttpRequestInterceptor other = (request, body, execution) -> execution.execute(request, body);
		ExchangeFilterFunction otherFilter = (request, next) -> next.exchange(request);
		this.contextRunner.withPropertyValues("idempotency.client.enabled=true")
			.withBean("early", RestClientCustomizer.class, () -> new EarlyCustomizer(other))
			.withBean("earlyFilter", WebClientCustomizer.class, () -> new EarlyFilter(otherFilter))
			.run((context) -> {
				IdempotencyClientInterceptor interceptor = context.getBean(IdempotencyClientInterceptor.class);
				assertThat(interceptors(context.getBean(RestClient.Builder.class))).containsExactly(interceptor, other);
				assertThat(context.getBean(RestTemplateBuilder.class).build().getInterceptors())
					.containsExactly(interceptor);
				assertThat(filters(context.getBean(WebClient.Builder.class)))
					.containsExactly(context.getBean(IdempotencyExchangeFilter.class), otherFilter);
			});
	}

	@Test
	void theLibraryIsSwitchedOffAsAWhole() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false", "idempotency.client.enabled=true")
			.run((context) -> {
				assertThat(context).doesNotHaveBean(IdempotencyClientInterceptor.class)
					.doesNotHaveBean(IdempotencyExchangeFilter.class);
				assertThat(interceptors(context.getBean(RestClient.Builder.class))).isEmpty();
			});
	}

	@Test
	void leavesBeansOfTheApplicationAlone() {
		IdempotencyKeyGenerator own = () -> "own";
		this.contextRunner.withBean(IdempotencyKeyGenerator.class, () -> own).run((context) -> {
			assertThat(context).getBean(IdempotencyKeyGenerator.class).isSameAs(own);
			IdempotencyClientInterceptor interceptor = context.getBean(IdempotencyClientInterceptor.class);
			this.contextRunner.withBean(IdempotencyClientInterceptor.class, () -> interceptor)
				.run((other) -> assertThat(other).getBean(IdempotencyClientInterceptor.class).isSameAs(interceptor));
		});
	}

	@Test
	void worksWithoutWebFlux() {
		this.contextRunner
			.withClassLoader(new FilteredClassLoader("org.springframework.web.reactive", "reactor",
					"org.springframework.boot.webclient"))
			.withPropertyValues("idempotency.client.enabled=true")
			.run((context) -> {
				assertThat(context).doesNotHaveBean("idempotencyExchangeFilter");
				assertThat(interceptors(context.getBean(RestClient.Builder.class))).hasSize(1);
			});
	}

	@Test
	void backsOffWithoutSpringsClients() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(IdempotencyClientAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.http", "org.springframework.web",
					"org.springframework.boot.restclient", "org.springframework.boot.webclient"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("idempotencyClientSettings")
				.doesNotHaveBean("idempotencyClientInterceptor"));
	}

	@Test
	void propertiesReachTheClients() {
		this.contextRunner
			.withPropertyValues("idempotency.client.header=X-Key", "idempotency.client.retry.max-attempts=1")
			.run((context) -> {
				ClientSettings settings = context.getBean(ClientSettings.class);
				assertThat(settings.header()).isEqualTo("X-Key");
				assertThat(settings.methods()).containsExactlyInAnyOrder(HttpMethod.POST, HttpMethod.PATCH);
				assertThat(settings.retry().maxAttempts()).isEqualTo(1);
			});
	}

	private static List<ClientHttpRequestInterceptor> interceptors(RestClient.Builder builder) {
		List<ClientHttpRequestInterceptor> all = new ArrayList<>();
		builder.requestInterceptors(all::addAll);
		return all;
	}

	private static List<ExchangeFilterFunction> filters(WebClient.Builder builder) {
		List<ExchangeFilterFunction> all = new ArrayList<>();
		builder.filters(all::addAll);
		return all;
	}

	@Order(0)
	private record EarlyCustomizer(ClientHttpRequestInterceptor interceptor) implements RestClientCustomizer {

		@Override
		public void customize(RestClient.Builder builder) {
			builder.requestInterceptor(this.interceptor);
		}

	}

	@Order(0)
	private record EarlyFilter(ExchangeFilterFunction filter) implements WebClientCustomizer {

		@Override
		public void customize(WebClient.Builder builder) {
			builder.filter(this.filter);
		}

	}

}
