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
package dev.idempotency.conformance.phase;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.ConstraintViolationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.security.config.Customizer.withDefaults;

/**
 * A request whose client was told a status that ends it, after some of it was done, is
 * not completed behind the client's back, whichever way led to that status.
 */
@Tag("P11")
class PhaseEndTests {

	private static RunningApplication application;

	private static UnfinishedRequests requests;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Ends.class, Security.class),
				"idempotency.completer.interval=20ms", "idempotency.completer.after=0",
				"idempotency.reaper.interval=50ms");
		requests = application.context().getBean(UnfinishedRequests.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource({ "denied, 403", "denied-directly, 403", "denied-directly-later, 403", "violated, 400", "conflict, 409",
			"returned, 412", "sent, 412", "nested, 422" })
	void whatTheClientWasToldAsFinalIsLeftToTheClient(String way, int status) {
		assertThat(send(way, way).statusCode()).isEqualTo(status);
		assertThat(send("unavailable", way + "-other").statusCode()).isEqualTo(503);
		await().until(() -> application.effects(way + "-other done") == 1);
		assertThat(application.effects(way + " done")).isZero();
		assertThat(requests.open(100)).extracting(UnfinishedRequest::lastError)
			.anySatisfy((error) -> assertThat(error).contains("only the sender resumes it"));
		HttpResponse<byte[]> retry = send(way, way);
		assertThat(retry.statusCode()).isEqualTo(200);
		assertThat(isReplay(retry)).isFalse();
		assertThat(application.effects(way)).isEqualTo(1);
		assertThat(application.effects(way + " done")).isEqualTo(1);
		assertThat(requests.open(100)).isEmpty();
	}

	private static HttpResponse<byte[]> send(String way, String label) {
		return application.post(ALICE, "/ends/" + way, label, Labelled.json(label));
	}

	/**
	 * Fails after its first step, the first time, in the way of its path.
	 */
	@RestController
	static class Ends {

		private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

		private final Effects effects;

		Ends(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/ends/{way}")
		Object end(@PathVariable String way, @RequestBody Labelled request, Phases phases, HttpServletResponse response)
				throws IOException {
			phases.atomic("begun", () -> this.effects.record(request.label()));
			if (SEEN.add(request.label())) {
				switch (way) {
					case "denied", "denied-directly", "denied-directly-later" ->
						throw new AccessDeniedException("not this one");
					case "violated" -> throw new ConstraintViolationException(Set.of());
					case "conflict" -> throw new OptimisticLockingFailureException("changed meanwhile");
					case "nested" -> throw new KeyReusedException();
					case "sent" -> {
						response.sendError(412, "another version");
						return null;
					}
					case "returned" -> {
						return ResponseEntity.status(412).body("another version");
					}
					default -> {
						return ResponseEntity.status(503).body("not now");
					}
				}
			}
			return phases.finish(() -> {
				this.effects.record(request.label() + " done");
				return Map.of("done", true);
			});
		}

		@ExceptionHandler(ConstraintViolationException.class)
		@ResponseStatus(HttpStatus.BAD_REQUEST)
		String onViolation() {
			return "invalid";
		}

		@ExceptionHandler(OptimisticLockingFailureException.class)
		@ResponseStatus(HttpStatus.CONFLICT)
		String onConflict() {
			return "conflict";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Security {

		/**
		 * Reaches a handler by an asynchronous dispatch, as rate limiters do.
		 */
		@Bean
		static FilterRegistrationBean<Filter> later() {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
				if (request.getDispatcherType() == DispatcherType.ASYNC) {
					chain.doFilter(request, response);
				}
				else {
					request.startAsync().dispatch();
				}
			});
			registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
			registration.addUrlPatterns("/ends/denied-directly-later");
			return registration;
		}

		/**
		 * A chain that answers a refusal itself, without the error page.
		 */
		@Bean
		@Order(1)
		SecurityFilterChain direct(HttpSecurity http) {
			return http.securityMatcher("/ends/denied-directly*")
				.csrf((csrf) -> csrf.disable())
				.httpBasic(withDefaults())
				.exceptionHandling((exceptions) -> exceptions.accessDeniedHandler((request, response, ex) -> {
					response.setStatus(403);
					response.getWriter().write("refused");
				}))
				.authorizeHttpRequests((all) -> all.anyRequest().authenticated())
				.build();
		}

	}

}
