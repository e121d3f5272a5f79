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

package dev.idempotency.conformance.fuzz;

import java.io.IOException;
import java.util.Map;

import jakarta.persistence.EntityManager;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import org.springframework.web.servlet.view.AbstractView;

/**
 * The surroundings of the generated handlers.
 */
@Configuration(proxyBeanMethods = false)
@Import({ FuzzPhaseHandlers.class, FuzzApplication.Forwarded.class, FuzzApplication.Mapped.class,
		FuzzApplication.Wrapped.class })
class FuzzApplication {

	@Bean
	Executions executions() {
		return new Executions();
	}

	@Bean
	FuzzLedger fuzzLedger(JdbcTemplate jdbc, EntityManager entityManager) {
		return new FuzzLedger(jdbc, entityManager);
	}

	@Bean
	Interpreter interpreter(Executions executions, FuzzLedger ledger, AsyncTaskExecutor executor) {
		return new Interpreter(executions, ledger, executor);
	}

	@Bean
	ThreadWatch threadWatch() {
		return new ThreadWatch();
	}

	@Bean
	FilterRegistrationBean<ThreadWatch> threadWatchRegistration(ThreadWatch watch) {
		FilterRegistrationBean<ThreadWatch> registration = new FilterRegistrationBean<>(watch);
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
		return registration;
	}

	@Bean("fuzz")
	View fuzz() {
		return new Page();
	}

	static class Page extends AbstractView {

		@Override
		protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
				HttpServletResponse response) throws IOException {
			response.setContentType("text/html;charset=UTF-8");
			response.getWriter().print("<p>" + model.get("text") + "</p>");
		}

	}

	@RestController
	static class Forwarded {

		@PostMapping("/open/fuzz-forwarded")
		String forwarded(@RequestAttribute String forwarded) {
			return "forwarded " + forwarded;
		}

	}

	@ControllerAdvice
	static class Mapped {

		@ExceptionHandler
		ResponseEntity<Map<String, Object>> handle(Failures.AdvisedException ex) {
			return ResponseEntity.status(ex.status()).header("X-Mapped", "yes").body(Map.of("mapped", ex.status()));
		}

	}

	@ControllerAdvice
	static class Wrapped implements ResponseBodyAdvice<Object> {

		@Override
		public boolean supports(MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converter) {
			return Map.class.isAssignableFrom(returnType.getParameterType())
					|| ResponseEntity.class.isAssignableFrom(returnType.getParameterType());
		}

		@Override
		public @Nullable Object beforeBodyWrite(@Nullable Object body, MethodParameter returnType, MediaType mediaType,
				Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
				ServerHttpResponse response) {
			String query = request.getURI().getQuery();
			if (query == null || !query.contains("advice=" + Advice.BODY) || !(body instanceof Map)) {
				return body;
			}
			response.getHeaders().add("X-Advised", "yes");
			return Map.of("wrapped", body);
		}

	}

}
