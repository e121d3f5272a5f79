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
package dev.idempotency.conformance.lease;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.support.ErrorPageFilter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.SharedApplications;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failures that a filter answers, and neither Spring MVC nor the error page: the filter
 * of Spring Security, and those of applications.
 */
@Tag("X1")
class AnsweredByFilterTests {

	@RegisterExtension
	static final SharedApplications APPLICATIONS = new SharedApplications();

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Handlers.class, Filters.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource({ "/denied/leased,403", "/denied/phases,403", "/caught/leased,402", "/caught/phases,402",
			"/rewritten/leased,409", "/rewritten/phases,409" })
	void theKeyIsFreeAtTheEndOfTheRequest(String path, int status) {
		String label = UUID.randomUUID().toString();
		HttpResponse<byte[]> failed = application.post(path, label);
		assertOriginal(failed, status);
		assertOriginal(application.post(path, label), 200);
		assertThat(application.leases()).isZero();
	}

	/**
	 * As in a war, whose container does not know Spring Boot's error page.
	 */
	@ParameterizedTest
	@Tag("X3")
	@ValueSource(strings = { "/final", "/final/leased" })
	void theErrorPageThatAFilterForwardsToIsStored(String path) {
		RunningApplication war = APPLICATIONS.get(FinalHandlers.class);
		HttpResponse<byte[]> failed = war.post(path, "k");
		assertOriginal(failed, 409);
		assertReplay(war.post(path, "k"), failed);
		assertThat(war.leases()).isZero();
	}

	@RestController
	@Import(ErrorPageFilter.class)
	static class FinalHandlers {

		@Idempotent
		@PostMapping("/final")
		void transactional(@RequestBody Labelled body) {
			throw new ResponseStatusException(HttpStatus.CONFLICT);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/final/leased")
		void leased(@RequestBody Labelled body) {
			throw new ResponseStatusException(HttpStatus.CONFLICT);
		}

	}

	/**
	 * Handlers that fail once for each label.
	 */
	@RestController
	static class Handlers {

		private final Set<String> failed = ConcurrentHashMap.newKeySet();

		@Idempotent(mode = Mode.LEASED)
		@PostMapping({ "/denied/leased", "/caught/leased", "/rewritten/leased" })
		String leased(@RequestBody Labelled body, HttpServletRequest request) {
			failOnce(body, request.getRequestURI());
			return body.label();
		}

		@Idempotent
		@PostMapping({ "/denied/phases", "/caught/phases", "/rewritten/phases" })
		String phases(@RequestBody Labelled body, HttpServletRequest request, Phases phases) {
			failOnce(body, request.getRequestURI());
			return phases.finish(body::label);
		}

		private void failOnce(Labelled body, String path) {
			if (!this.failed.add(body.label())) {
				return;
			}
			if (path.startsWith("/denied")) {
				throw new AccessDeniedException("not yet");
			}
			if (path.startsWith("/rewritten")) {
				throw new ResponseStatusException(HttpStatus.CONFLICT);
			}
			throw new IllegalStateException("not yet");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Filters {

		@Bean
		FilterRegistrationBean<Filter> catching() {
			return filter("/caught/*", (request, response, chain) -> {
				try {
					chain.doFilter(request, response);
				}
				catch (ServletException ex) {
					((HttpServletResponse) response).setStatus(402);
				}
			});
		}

		@Bean
		FilterRegistrationBean<Filter> rewriting() {
			return filter("/rewritten/*", (request, response, chain) -> chain.doFilter(request,
					new HttpServletResponseWrapper((HttpServletResponse) response) {

						@Override
						public void sendError(int status) throws IOException {
							setStatus(status);
						}

						@Override
						public void sendError(int status, String message) throws IOException {
							setStatus(status);
						}

					}));
		}

		private static FilterRegistrationBean<Filter> filter(String pattern, Filter filter) {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
			registration.addUrlPatterns(pattern);
			return registration;
		}

	}

}
