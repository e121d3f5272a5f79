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

import java.time.Duration;
import java.util.Set;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.client.ClientSettings;
import dev.idempotency.client.IdempotencyClientInterceptor;
import dev.idempotency.client.IdempotencyExchangeFilter;
import dev.idempotency.client.IdempotencyKeyGenerator;

/**
 * Outgoing requests: an interceptor and a filter for the application to add to the
 * clients that it chooses, or with {@code idempotency.client.enabled} in all clients that
 * Spring Boot builds. They need no store.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass({ HttpMethod.class, ClientSettings.class })
@EnableConfigurationProperties(ClientProperties.class)
@Import(EnforcementImport.class)
public final class IdempotencyClientAutoConfiguration {

	/**
	 * Longest pause after the first attempt, doubled for each further one.
	 */
	private static final Duration FIRST_PAUSE = Duration.ofMillis(200);

	/**
	 * Longest pause between two attempts, unless the other system asks for a longer one.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	@Bean
	@ConditionalOnMissingBean
	IdempotencyKeyGenerator idempotencyKeyGenerator() {
		return IdempotencyKeyGenerator.timeOrdered();
	}

	@Bean
	@ConditionalOnMissingBean
	ClientSettings idempotencyClientSettings(ClientProperties client) {
		ClientProperties.Retry retry = client.retry();
		return new ClientSettings(client.header(), HeaderSyntax.LENIENT, Set.of(HttpMethod.POST, HttpMethod.PATCH),
				new ClientSettings.Retry(retry.maxAttempts(), FIRST_PAUSE, LONGEST_PAUSE, retry.total()),
				client.inTransaction(), ClientSettings.Keys.DERIVED, client.targets());
	}

	/**
	 * RestClient and RestTemplate.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ClientHttpRequestInterceptor.class)
	static class BlockingClients {

		@Bean
		@ConditionalOnMissingBean
		IdempotencyClientInterceptor idempotencyClientInterceptor(ClientSettings settings,
				IdempotencyKeyGenerator generator) {
			return new IdempotencyClientInterceptor(settings, generator);
		}

	}

	/**
	 * The clients built by Spring Boot. The interceptor is the outermost, so that others
	 * are applied to every attempt, and their retries have its key.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RestClientCustomizer.class)
	@ConditionalOnBooleanProperty("idempotency.client.enabled")
	static class AllBlockingClients {

		@Bean
		RestClientCustomizer idempotencyRestClientCustomizer(IdempotencyClientInterceptor interceptor) {
			return (builder) -> builder.requestInterceptors((all) -> all.add(0, interceptor));
		}

		@Bean
		RestTemplateCustomizer idempotencyRestTemplateCustomizer(IdempotencyClientInterceptor interceptor) {
			return (template) -> template.getInterceptors().add(0, interceptor);
		}

	}

	/**
	 * WebClient.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ExchangeFilterFunction.class)
	static class ReactiveClients {

		@Bean
		@ConditionalOnMissingBean
		IdempotencyExchangeFilter idempotencyExchangeFilter(ClientSettings settings,
				IdempotencyKeyGenerator generator) {
			return new IdempotencyExchangeFilter(settings, generator);
		}

	}

	/**
	 * The clients built by Spring Boot.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebClientCustomizer.class)
	@ConditionalOnBooleanProperty("idempotency.client.enabled")
	static class AllReactiveClients {

		@Bean
		WebClientCustomizer idempotencyWebClientCustomizer(IdempotencyExchangeFilter filter) {
			return (builder) -> builder.filters((all) -> all.add(0, filter));
		}

	}

}
