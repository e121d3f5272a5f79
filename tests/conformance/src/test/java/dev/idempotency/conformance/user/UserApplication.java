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
package dev.idempotency.conformance.user;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Labelled;
import jakarta.persistence.EntityManagerFactory;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * Own entity scan, repositories, transaction manager, interceptor, advices and exception
 * resolver.
 */
@Configuration(proxyBeanMethods = false)
@EntityScan(basePackageClasses = Invoice.class)
@EnableJpaRepositories(basePackageClasses = InvoiceRepository.class, transactionManagerRef = "ledgerTransactions")
@Import({ UserApplication.Invoices.class, UserApplication.Advice.class, UserApplication.StampAdvice.class,
		UserApplication.RecordingInterceptor.class, UserApplication.LockedResolver.class })
public class UserApplication {

	@Bean
	JpaTransactionManager ledgerTransactions(EntityManagerFactory entityManagerFactory) {
		return new JpaTransactionManager(entityManagerFactory);
	}

	@Bean
	WebMvcConfigurer userInterceptors(RecordingInterceptor interceptor) {
		return new WebMvcConfigurer() {

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				registry.addInterceptor(interceptor);
			}

		};
	}

	/**
	 * The endpoints.
	 */
	@RestController
	static class Invoices {

		private final InvoiceRepository invoices;

		Invoices(InvoiceRepository invoices) {
			this.invoices = invoices;
		}

		@Idempotent
		@PostMapping("/invoices")
		@ResponseStatus(HttpStatus.CREATED)
		@Transactional("ledgerTransactions")
		public Map<String, Object> create(@RequestBody Labelled invoice) {
			var id = this.invoices.save(new Invoice(invoice.label())).getId();
			switch (invoice.label()) {
				case "advised" -> throw new UnsupportedOperationException("advised");
				case "locked" -> throw new LockedException();
				default -> {
					return Map.of("id", id);
				}
			}
		}

	}

	/**
	 * Answers one exception.
	 */
	@ControllerAdvice
	static class Advice {

		@ExceptionHandler
		@ResponseStatus(HttpStatus.UNPROCESSABLE_CONTENT)
		@ResponseBody
		Map<String, Object> unsupported(UnsupportedOperationException ex) {
			return Map.of("advised", true);
		}

	}

	/**
	 * Changes every body.
	 */
	@ControllerAdvice
	static class StampAdvice implements ResponseBodyAdvice<Object> {

		@Override
		public boolean supports(MethodParameter type, Class<? extends HttpMessageConverter<?>> converter) {
			return true;
		}

		@Override
		public @Nullable Object beforeBodyWrite(@Nullable Object body, MethodParameter type, MediaType mediaType,
				Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
				ServerHttpResponse response) {
			response.getHeaders().add("X-Stamp", "stamped");
			return Map.of("stamped", (body != null) ? body : "");
		}

	}

	/**
	 * Remembers its calls.
	 */
	public static class RecordingInterceptor implements HandlerInterceptor {

		private final Queue<String> calls = new ConcurrentLinkedQueue<>();

		/**
		 * The calls since the last time that they were asked for.
		 */
		public List<String> takeCalls() {
			List<String> taken = List.copyOf(this.calls);
			this.calls.clear();
			return taken;
		}

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
			this.calls.add("pre");
			return true;
		}

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView view) {
			this.calls.add("post");
		}

		@Override
		public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable Exception ex) {
			this.calls.add("completion");
		}

	}

	/**
	 * Resolves one exception, before all others.
	 */
	static class LockedResolver implements HandlerExceptionResolver, Ordered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
				@Nullable Object handler, Exception ex) {
			if (!(ex instanceof LockedException)) {
				return null;
			}
			response.setStatus(HttpStatus.LOCKED.value());
			response.setHeader("X-Locked", "by somebody");
			return new ModelAndView();
		}

	}

	static class LockedException extends RuntimeException {

	}

}
