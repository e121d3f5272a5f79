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

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Dispatches with the result of an asynchronous handler that do not get back to it.
 */
@Tag("O4")
class AsyncDispatchTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Handlers.class, Plain.class, Obstacles.class),
				"idempotency.lease.duration=10m");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource({ "/callable, throw-503", "/future, throw-503", "/deferred, throw-503", "/callable, throw",
			"/deferred, throw", "/callable, false", "/future, false", "/callable, filter", "/deferred, filter",
			"/callable, filter-throws" })
	void aRequestWhoseResultIsNotWrittenEndsWithItsDispatch(String path, String obstacle) {
		String key = "ends" + path + obstacle;
		assertThat(post(path, key, obstacle).statusCode()).as("as without protection")
			.isNotEqualTo(200)
			.isEqualTo(post("/plain", key, obstacle).statusCode());
		await().until(() -> application.leases() == 0);
		assertThat(application.effects(key)).isEqualTo(1);
		assertThat(post(path, key, "none").statusCode()).as("as after a failure, a retry runs").isEqualTo(200);
		assertThat(application.effects(key)).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "/callable", "/future", "/deferred" })
	void aFinalAnswerToAnExceptionOfAnInterceptorIsStored(String path) {
		String key = "final" + path;
		HttpResponse<byte[]> first = post(path, key, "throw-402");
		assertThat(first.statusCode()).isEqualTo(402);
		assertThat(application.leases()).isZero();
		assertReplay(post(path, key, "none"), first);
		assertThat(application.effects(key)).isEqualTo(1);
	}

	private static HttpResponse<byte[]> post(String path, String key, String obstacle) {
		return application.send(application.json(ALICE, path, Labelled.json(key))
			.header("Idempotency-Key", key)
			.header("X-Obstacle", obstacle));
	}

	@Configuration(proxyBeanMethods = false)
	static class Obstacles implements WebMvcConfigurer {

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
					return request.getDispatcherType() != DispatcherType.ASYNC || pass(request, response);
				}

			});
		}

		private static boolean pass(HttpServletRequest request, HttpServletResponse response) {
			switch (request.getHeader("X-Obstacle")) {
				case "throw" -> throw new IllegalStateException("in an interceptor");
				case "throw-503" -> throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
				case "throw-402" -> throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED);
				case "false" -> {
					response.setStatus(204);
					return false;
				}
				default -> {
					return true;
				}
			}
		}

		@Bean
		FilterRegistrationBean<HttpFilter> asyncFilter() {
			FilterRegistrationBean<HttpFilter> registration = new FilterRegistrationBean<>(new HttpFilter() {

				@Override
				protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
						throws IOException, ServletException {
					switch (request.getHeader("X-Obstacle")) {
						case "filter" -> response.sendError(418);
						case "filter-throws" -> throw new ServletException("in a filter");
						default -> chain.doFilter(request, response);
					}
				}

			});
			registration.setDispatcherTypes(DispatcherType.ASYNC);
			registration.setAsyncSupported(true);
			return registration;
		}

	}

	@RestController
	static class Plain {

		@PostMapping("/plain")
		Callable<String> plain(@RequestBody Labelled body) {
			return body::label;
		}

	}

	@RestController
	@Idempotent(mode = Mode.LEASED)
	static class Handlers {

		private final Effects effects;

		private final AsyncTaskExecutor executor;

		Handlers(Effects effects, AsyncTaskExecutor executor) {
			this.effects = effects;
			this.executor = executor;
		}

		@PostMapping("/callable")
		Callable<String> callable(@RequestBody Labelled body) {
			return () -> this.effects.record(body.label()).getLabel();
		}

		@PostMapping("/future")
		CompletableFuture<String> future(@RequestBody Labelled body) {
			return CompletableFuture.supplyAsync(() -> this.effects.record(body.label()).getLabel(), this.executor);
		}

		@PostMapping("/deferred")
		DeferredResult<String> deferred(@RequestBody Labelled body) {
			DeferredResult<String> result = new DeferredResult<>();
			this.executor.execute(() -> result.setResult(this.effects.record(body.label()).getLabel()));
			return result;
		}

	}

}
