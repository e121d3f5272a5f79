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
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

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
 * Requests that reach a protected handler by a dispatch of the application: a filter or a
 * controller has waited for something without a thread, and goes on.
 */
@Tag("O5")
class DispatchedRequestTests {

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Payments.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource({ "/transactional,201", "/leased,201", "/later,201", "/declined,402", "/from/transactional,201",
			"/from/leased,201", "/from/later,201", "/from/declined,402" })
	void aRequestThatIsDispatchedIsProtected(String path, int status) {
		HttpResponse<byte[]> first = application.post(path, this.key);
		assertOriginal(first, status);
		assertReplay(application.post(path, this.key), first);
		assertThat(application.effects(this.key)).isEqualTo((status < 400) ? 1 : 0);
	}

	/**
	 * A filter that calls the chain again after a failure.
	 */
	@Test
	@Tag("X2")
	void aRequestThatAFilterRepeatsIsProtectedAgain() {
		HttpResponse<byte[]> first = repeated();
		assertOriginal(first, 201);
		assertReplay(repeated(), first);
		assertThat(application.effects(this.key)).isEqualTo(1);
	}

	private HttpResponse<byte[]> repeated() {
		return application.send(application.request(ALICE, "/repeated")
			.header("Idempotency-Key", this.key)
			.POST(BodyPublishers.noBody()));
	}

	@RestController
	static class Payments {

		private final Set<String> failed = ConcurrentHashMap.newKeySet();

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		/**
		 * Behind the filters of Spring Security.
		 */
		@Bean
		static FilterRegistrationBean<Filter> waiting() {
			FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) -> {
				if (request.getDispatcherType() == DispatcherType.REQUEST
						&& !((HttpServletRequest) request).getRequestURI().matches("/(from/.*|repeated)")) {
					AsyncContext context = request.startAsync();
					context.start(context::dispatch);
				}
				else {
					chain.doFilter(request, response);
				}
			});
			filter.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
			filter.setAsyncSupported(true);
			return filter;
		}

		@Bean
		static FilterRegistrationBean<Filter> repeating() {
			FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) -> {
				chain.doFilter(request, response);
				if (((HttpServletResponse) response).getStatus() == 503) {
					response.reset();
					chain.doFilter(request, response);
				}
			});
			filter.addUrlPatterns("/repeated");
			return filter;
		}

		/**
		 * Sets no length, with which the container would complete the response before the
		 * filter can reset it.
		 */
		@Idempotent
		@PostMapping("/repeated")
		void repeat(@RequestHeader("Idempotency-Key") String key, HttpServletResponse response) throws IOException {
			this.effects.record(key);
			response.setStatus(this.failed.add(key) ? 503 : 201);
			response.setContentType("text/plain");
			response.getWriter().print(key);
		}

		@PostMapping("/from/{target}")
		void dispatch(@PathVariable String target, HttpServletRequest request) {
			AsyncContext context = request.startAsync();
			context.start(() -> context.dispatch("/" + target));
		}

		@Idempotent
		@PostMapping("/transactional")
		@ResponseStatus(HttpStatus.CREATED)
		String pay(@RequestBody Labelled payment) {
			return this.effects.record(payment.label()).getId().toString();
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		@ResponseStatus(HttpStatus.CREATED)
		String leased(@RequestBody Labelled payment) {
			return pay(payment);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/later")
		@ResponseStatus(HttpStatus.CREATED)
		Callable<String> later(@RequestBody Labelled payment) {
			return () -> pay(payment);
		}

		@Idempotent
		@PostMapping("/declined")
		String decline(@RequestBody Labelled payment) {
			pay(payment);
			throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED);
		}

	}

}
