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
import java.util.concurrent.atomic.AtomicInteger;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
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
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Advice within the claim that calls the body again or answers in its place, in the way
 * of Resilience4j and Spring Retry: by clones of the invocation.
 */
@Tag("X31")
class OnceUnderAClaimTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Advised.class, "spring.web.error.include-message=always");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> post(String path) {
		return application.post(ALICE, path, this.label, Labelled.json(this.label));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional/retry", "/leased/retry", "/service/retry" })
	void aBodyThatIsCalledAgainIsRefusedAndRolledBack(String path) {
		for (int i = 0; i < 2; i++) {
			assertRefused(post(path), "has called its body again");
			assertThat(application.effects(this.label)).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional/fallback", "/leased/fallback", "/service/fallback" })
	void aValueInPlaceOfABodyThatHasFailedIsRefusedAndRolledBack(String path) {
		assertRefused(post(path), "has returned a value in place of its body, which has failed");
		assertThat(application.effects(this.label)).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional/instead", "/leased/instead", "/service/instead" })
	void aValueInPlaceOfABodyThatDidNotRunIsRefused(String path) {
		assertRefused(post(path), "has returned a value in place of its body, which did not run");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional/observe", "/leased/observe", "/service/observe" })
	void adviceThatProceedsOnceIsNotRefused(String path) {
		HttpResponse<byte[]> first = post(path);
		assertOriginal(first, 201);
		if (!path.startsWith("/service")) {
			assertReplay(post(path), first);
		}
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	private static void assertRefused(HttpResponse<byte[]> answer, String reason) {
		assertOriginal(answer, 500);
		assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains(reason);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Endpoints.class, Retries.class })
	static class Advised {

		@Bean
		Payments payments(Effects effects) {
			return new Payments(effects);
		}

	}

	@RestController
	static class Endpoints {

		private final Effects effects;

		private final Payments payments;

		Endpoints(Effects effects, Payments payments) {
			this.effects = effects;
			this.payments = payments;
		}

		@Idempotent
		@PostMapping("/transactional/{advice}")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, String> transactional(@PathVariable String advice, @RequestBody Labelled payment) {
			return pay(this.effects, advice, payment);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased/{advice}")
		@ResponseStatus(HttpStatus.CREATED)
		@Transactional
		Map<String, String> leased(@PathVariable String advice, @RequestBody Labelled payment) {
			return pay(this.effects, advice, payment);
		}

		@PostMapping("/service/{advice}")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, String> service(@PathVariable String advice, @RequestBody Labelled payment) {
			return this.payments.pay(advice, payment);
		}

	}

	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#payment.label()")
		public Map<String, String> pay(String advice, Labelled payment) {
			return OnceUnderAClaimTests.pay(this.effects, advice, payment);
		}

	}

	private static final AtomicInteger FAILURES = new AtomicInteger();

	/**
	 * Fails each first time.
	 */
	static Map<String, String> pay(Effects effects, String advice, Labelled payment) {
		effects.recordAndFlush(payment.label());
		if (!advice.equals("observe") && FAILURES.getAndIncrement() % 2 == 0) {
			throw new IllegalStateException("the first attempt");
		}
		return Map.of("label", payment.label());
	}

	@Aspect
	@Order(2000)
	static class Retries {

		@Around("@annotation(dev.idempotency.Idempotent) && args(advice, payment)")
		Object around(ProceedingJoinPoint call, String advice, Labelled payment) throws Throwable {
			FAILURES.set(0);
			if (advice.equals("instead")) {
				return Map.of("label", "instead");
			}
			try {
				return call.proceed();
			}
			catch (IllegalStateException ex) {
				return advice.equals("fallback") ? Map.of("label", "fallback") : call.proceed();
			}
		}

	}

}
