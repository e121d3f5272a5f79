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
package dev.idempotency.conformance.transaction;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.spring6.fallback.configure.FallbackConfiguration;
import io.github.resilience4j.spring6.retry.configure.RetryConfiguration;
import io.github.resilience4j.spring6.retry.configure.RetryConfigurationProperties;
import io.github.resilience4j.spring6.spelresolver.configure.SpelResolverConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring Retry and Resilience4j on protected methods, in their default orders: within the
 * claim.
 */
@Tag("X31")
class RetryLibrariesTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Retrying.class, "spring.web.error.include-message=always");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> post(String path) {
		return application.post(ALICE, path, this.label, Labelled.json(this.label));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/spring-retry", "/spring-retry/leased", "/spring-retry/service", "/resilience4j",
			"/resilience4j/leased", "/resilience4j/service" })
	void aBodyThatIsCalledAgainIsRefusedAndRolledBack(String path) {
		assertRefused(post(path), "has called its body again");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/fallback", "/fallback/leased", "/fallback/service" })
	void aFallbackIsRefusedAndRolledBack(String path) {
		assertRefused(post(path), "has called its body again");
	}

	private void assertRefused(HttpResponse<byte[]> answer, String reason) {
		assertOriginal(answer, 500);
		assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains(reason);
		assertThat(application.effects(this.label)).isZero();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	@Import({ Endpoints.class, RetryConfiguration.class, FallbackConfiguration.class, SpelResolverConfiguration.class })
	static class Retrying {

		@Bean
		Payments payments(Effects effects) {
			return new Payments(effects);
		}

		@Bean
		RetryConfigurationProperties retries() {
			return new RetryConfigurationProperties();
		}

	}

	@RestController
	@ResponseStatus(HttpStatus.CREATED)
	static class Endpoints {

		private final Payments payments;

		Endpoints(Payments payments) {
			this.payments = payments;
		}

		@Idempotent
		@Retryable
		@PostMapping("/spring-retry")
		Map<String, String> springRetry(@RequestBody Labelled payment) {
			return this.payments.pay(payment);
		}

		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@Retryable
		@PostMapping("/spring-retry/leased")
		Map<String, String> springRetryLeased(@RequestBody Labelled payment) {
			return this.payments.pay(payment);
		}

		@PostMapping("/spring-retry/service")
		Map<String, String> springRetryService(@RequestBody Labelled payment) {
			return this.payments.springRetry(payment);
		}

		@Idempotent
		@Retry(name = "payments")
		@PostMapping("/resilience4j")
		Map<String, String> resilience4j(@RequestBody Labelled payment) {
			return this.payments.pay(payment);
		}

		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@Retry(name = "payments")
		@PostMapping("/resilience4j/leased")
		Map<String, String> resilience4jLeased(@RequestBody Labelled payment) {
			return this.payments.pay(payment);
		}

		@PostMapping("/resilience4j/service")
		Map<String, String> resilience4jService(@RequestBody Labelled payment) {
			return this.payments.resilience4j(payment);
		}

		@Idempotent
		@Retry(name = "payments", fallbackMethod = "instead")
		@PostMapping("/fallback")
		Map<String, String> fallback(@RequestBody Labelled payment) {
			return this.payments.pay(payment);
		}

		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@Retry(name = "payments", fallbackMethod = "instead")
		@PostMapping("/fallback/leased")
		Map<String, String> fallbackLeased(@RequestBody Labelled payment) {
			return this.payments.pay(payment);
		}

		@PostMapping("/fallback/service")
		Map<String, String> fallbackService(@RequestBody Labelled payment) {
			return this.payments.fallback(payment);
		}

		Map<String, String> instead(Labelled payment, Exception ex) {
			return Map.of("label", "instead");
		}

	}

	static class Payments {

		private final Effects effects;

		private final Map<String, Boolean> failed = new ConcurrentHashMap<>();

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#payment.label()")
		@Retryable
		public Map<String, String> springRetry(Labelled payment) {
			return pay(payment);
		}

		@Idempotent(key = "#payment.label()")
		@Retry(name = "payments")
		public Map<String, String> resilience4j(Labelled payment) {
			return pay(payment);
		}

		@Idempotent(key = "#payment.label()")
		@Retry(name = "payments", fallbackMethod = "instead")
		public Map<String, String> fallback(Labelled payment) {
			return pay(payment);
		}

		Map<String, String> instead(Labelled payment, Exception ex) {
			return Map.of("label", "instead");
		}

		/**
		 * Fails the first time.
		 */
		public Map<String, String> pay(Labelled payment) {
			this.effects.recordAndFlush(payment.label());
			if (this.failed.put(payment.label(), true) == null) {
				throw new IllegalStateException("the first attempt");
			}
			return Map.of("label", payment.label());
		}

	}

}
