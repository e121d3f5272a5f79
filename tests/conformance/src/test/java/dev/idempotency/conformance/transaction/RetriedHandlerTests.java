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

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Advice in front of the claim that answers exceptions: it calls the handler again,
 * returns something else, or throws something else. A replay leaves the proxy of the
 * controller as an exception, too.
 */
@Tag("X30")
class RetriedHandlerTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(RetryingAdvice.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> post(String path) {
		return application.post(ALICE, path, this.label, Labelled.json(this.label));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional", "/leased", "/fallback", "/translated" })
	void aReplayIsNotMistakenForAFailure(String path) {
		HttpResponse<byte[]> first = post(path);
		assertOriginal(first, 201);
		for (int i = 0; i < 2; i++) {
			assertReplay(post(path), first);
		}
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/failing/transactional", "/failing/leased" })
	void aHandlerThatHasFailedIsNotCalledAgainWithinItsRequest(String path) {
		HttpResponse<byte[]> first = post(path);
		assertOriginal(first, 409);
		assertReplay(post(path), first);
		assertThat(application.effects(this.label)).isEqualTo(path.endsWith("leased") ? 1 : 0);
	}

	@Test
	void aRefusedRequestIsNotAnsweredWithAFallback() {
		assertOriginal(post("/fallback"), 201);
		HttpResponse<byte[]> refused = application.post(ALICE, "/fallback", this.label, Labelled.json("other"));
		assertThat(refused.statusCode()).isEqualTo(422);
		assertThat(application.effects("other")).isZero();
	}

	@Test
	void aDuplicateOfAStreamIsNotAnsweredWithAFallback() {
		HttpResponse<byte[]> first = post("/streamed");
		assertOriginal(first, 200);
		assertThat(first.body()).asString().isEqualTo("streamed");
		assertThat(post("/streamed").statusCode()).isEqualTo(409);
		assertThat(application.effects(this.label)).isEqualTo(1);
	}

	@Test
	void aRetryableHandlerIsRefusedAtStartUp() {
		assertThatThrownBy(() -> RunningApplication.start(Retried.class))
			.hasStackTraceContaining("@Idempotent on RetryableHandler#pay is @Retryable")
			.hasStackTraceContaining("service");
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/transactional")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> transactional(@RequestBody Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> leased(@RequestBody Labelled body) {
			return transactional(body);
		}

		@Idempotent
		@PostMapping("/fallback")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> fallback(@RequestBody Labelled body) {
			return transactional(body);
		}

		@Idempotent(mode = Mode.LEASED, replay = Replay.NONE)
		@PostMapping("/streamed")
		ResponseEntity<StreamingResponseBody> streamed(@RequestBody Labelled body) {
			this.effects.record(body.label());
			return ResponseEntity.ok((out) -> out.write("streamed".getBytes(StandardCharsets.UTF_8)));
		}

		@Idempotent
		@PostMapping("/translated")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> translated(@RequestBody Labelled body) {
			return transactional(body);
		}

		@Idempotent
		@PostMapping("/failing/transactional")
		void failing(@RequestBody Labelled body) {
			this.effects.record(body.label());
			throw new ResponseStatusException(HttpStatus.CONFLICT);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/failing/leased")
		void failingLeased(@RequestBody Labelled body) {
			failing(body);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handlers.class)
	static class RetryingAdvice {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor retry() {
			MethodInterceptor advice = (invocation) -> {
				try {
					return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
				}
				catch (Exception ex) {
					return switch (invocation.getMethod().getName()) {
						case "fallback" -> Map.of();
						case "streamed" -> ResponseEntity.ok().build();
						case "translated" -> throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "", ex);
						default -> invocation.proceed();
					};
				}
			};
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
					AnnotationMatchingPointcut.forClassAnnotation(RestController.class), advice);
			advisor.setOrder(0);
			return advisor;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	@Import(RetryableHandler.class)
	static class Retried {

	}

	@RestController
	static class RetryableHandler {

		@Retryable
		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

}
