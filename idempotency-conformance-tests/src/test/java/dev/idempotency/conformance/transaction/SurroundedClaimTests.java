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
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Requests that come to the claim in a transaction, or on a thread, of somebody else.
 */
@Tag("postgresql")
@ExtendWith(OutputCaptureExtension.class)
class SurroundedClaimTests {

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(TestDatabase.create(), List.of(Handlers.class, Around.class),
				"server.tomcat.threads.max=3", "spring.datasource.hikari.maximum-pool-size=5",
				"spring.datasource.hikari.connection-timeout=3000", "spring.web.error.include-message=always");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> post(String path) {
		return application.post(ALICE, path, this.label, Labelled.json(this.label));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/filter/transactional", "/filter/leased", "/filter/phased", "/interceptor/transactional",
			"/interceptor/leased", "/interceptor/phased", "/advised/transactional", "/advised/leased",
			"/advised/phased" })
	@Tag("X26")
	void aClaimInsideAnOpenTransactionIsRefusedAndNothingIsCommitted(String path) {
		long records = application.records();
		for (int i = 0; i < 2; i++) {
			assertOriginal(post(path), 500);
		}
		assertThat(application.effects(this.label)).as("of the handler").isZero();
		assertThat(application.effects("around")).as("of what is around").isZero();
		assertThat(application.records()).isEqualTo(records);
		Leftovers.assertNone(application);
		Leftovers.assertAcknowledgedIsCommitted(application, 12, "/plain", "/protected");
	}

	@Test
	void aHandlerMappingWithoutInterceptorsRunsNothingUnprotected() {
		try (RunningApplication other = RunningApplication.start(TestDatabase.create(),
				List.of(Handlers.class, Around.class, BareMapping.class), "spring.web.error.include-message=always")) {
			HttpResponse<byte[]> answer = other.post(ALICE, "/protected", this.label, Labelled.json(this.label));
			assertOriginal(answer, 500);
			assertThat(text(answer)).contains("@Idempotent on", "has no interceptors");
			assertThat(other.effects(this.label)).isZero();
		}
	}

	@Test
	@Tag("X26")
	void theRefusalSaysWhatToWrite() {
		assertThat(text(post("/advised/transactional"))).contains("@Idempotent on", "#transactional", "TRANSACTIONAL",
				"transaction is open");
	}

	@ParameterizedTest
	@ValueSource(classes = { TransactionalHandler.class, LeasedHandler.class })
	@Tag("X26")
	void aTransactionAdvisorInFrontOfTheClaimIsRefusedAtStartUp(Class<?> handler) {
		assertThatThrownBy(
				() -> RunningApplication.start(TestDatabase.create(), List.of(handler, TransactionsFirst.class)))
			.hasStackTraceContaining(InvalidIdempotentException.class.getName())
			.hasStackTraceContaining("@EnableTransactionManagement")
			.hasStackTraceContaining(handler.getSimpleName());
	}

	@Test
	@Tag("X26")
	void aTransactionAdvisorInFrontOfOtherBeansIsNobodysBusiness() {
		try (RunningApplication other = RunningApplication.start(TestDatabase.create(),
				List.of(Handlers.class, TransactionsFirst.class))) {
			assertOriginal(other.post(ALICE, "/protected", this.label, Labelled.json(this.label)), 200);
			assertThat(other.effects(this.label)).isEqualTo(1);
		}
	}

	/**
	 * The status is on the wire, so that the client sees a broken response at best.
	 */
	@Test
	@Tag("X18")
	void aResponseThatWasSentBeforeTheCommitIsNotCommitted(CapturedOutput output) {
		long records = application.records();
		assertThatException().isThrownBy(() -> post("/flushed"));
		assertThat(output.getOut().lines()).anySatisfy((line) -> assertThat(line).contains("[IDEM-1311]", "#flushed"));
		assertThat(application.effects(this.label)).isZero();
		assertThat(application.records()).isEqualTo(records);
		Leftovers.assertNone(application);
	}

	@Test
	@Tag("X18")
	void aHandlerThatIsCalledOnAnotherThreadIsRefusedBeforeItRuns() {
		for (int i = 0; i < 2; i++) {
			HttpResponse<byte[]> refused = post("/elsewhere");
			assertOriginal(refused, 500);
			assertThat(text(refused)).contains("@Idempotent on", "#elsewhere", "thread");
		}
		assertThat(application.effects(this.label)).isZero();
		Leftovers.assertNone(application);
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping({ "/filter/transactional", "/interceptor/transactional", "/advised/transactional" })
		Map<String, String> transactional(@RequestBody Labelled body) {
			return plain(body);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping({ "/filter/leased", "/interceptor/leased", "/advised/leased" })
		Map<String, String> leased(@RequestBody Labelled body) {
			return plain(body);
		}

		@Idempotent
		@PostMapping({ "/filter/phased", "/interceptor/phased", "/advised/phased" })
		Map<String, String> phased(@RequestBody Labelled body, Phases phases) {
			return Map.of("label", phases.finish(() -> this.effects.record(body.label()).getLabel()));
		}

		@Idempotent
		@PostMapping("/flushed")
		Map<String, String> flushed(@RequestBody Labelled body) {
			return plain(body);
		}

		@Idempotent
		@PostMapping("/elsewhere")
		Map<String, String> elsewhere(@RequestBody Labelled body) {
			return plain(body);
		}

		@Idempotent
		@PostMapping("/protected")
		Map<String, String> protectedValue(@RequestBody Labelled body) {
			return plain(body);
		}

		@PostMapping("/plain")
		Map<String, String> plain(@RequestBody Labelled body) {
			return Map.of("label", this.effects.record(body.label()).getLabel());
		}

	}

	@RestController
	static class TransactionalHandler {

		@Idempotent
		@Transactional
		@PostMapping("/transactional")
		public void pay() {
		}

	}

	@RestController
	static class LeasedHandler {

		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@PostMapping("/leased")
		public void pay() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	static class TransactionsFirst {

	}

	/**
	 * Typical advice of applications around their controllers.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Around {

		private static String path() {
			RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
			return ((ServletRequestAttributes) attributes).getRequest().getRequestURI();
		}

		/**
		 * Commits whatever happens behind it.
		 */
		@Bean
		FilterRegistrationBean<Filter> ownTransactionFilter(PlatformTransactionManager transactionManager,
				Effects effects) {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
				TransactionStatus status = transactionManager.getTransaction(null);
				effects.record("around");
				try {
					chain.doFilter(request, response);
				}
				catch (ServletException ex) {
					((HttpServletResponse) response).sendError(500, "refused");
				}
				finally {
					transactionManager.commit(status);
				}
			});
			registration.addUrlPatterns("/filter/*");
			return registration;
		}

		@Bean
		FilterRegistrationBean<Filter> flushingFilter() {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
				response.getOutputStream().print("early ");
				response.flushBuffer();
				chain.doFilter(request, response);
			});
			registration.addUrlPatterns("/flushed");
			return registration;
		}

		@Bean
		WebMvcConfigurer transactionAroundHandlers(ObjectProvider<PlatformTransactionManager> transactionManager) {
			return new WebMvcConfigurer() {

				@Override
				public void addInterceptors(InterceptorRegistry registry) {
					registry.addInterceptor(new TransactionInterceptor(transactionManager.getObject()))
						.addPathPatterns("/interceptor/**");
				}

			};
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor ownTransactionAdvisor(
				ObjectProvider<PlatformTransactionManager> transactionManager, ObjectProvider<Effects> effects) {
			MethodInterceptor advice = (invocation) -> {
				if (!path().startsWith("/advised")) {
					return invocation.proceed();
				}
				return new TransactionTemplate(transactionManager.getObject()).execute((status) -> {
					effects.getObject().record("around");
					try {
						return invocation.proceed();
					}
					catch (Throwable ex) {
						throw (ex instanceof RuntimeException unchecked) ? unchecked : new IllegalStateException(ex);
					}
				});
			};
			return advisor(advice);
		}

		/**
		 * As bulkheads do, with what is bound to the thread taken along.
		 */
		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor ownThreadAdvisor() {
			Executor other = (task) -> Parallel.start(() -> {
				task.run();
				return null;
			}).join();
			MethodInterceptor advice = (invocation) -> {
				RequestAttributes attributes = RequestContextHolder.getRequestAttributes();
				if (attributes == null || !path().equals("/elsewhere")) {
					return invocation.proceed();
				}
				Object[] result = new Object[2];
				other.execute(() -> {
					RequestContextHolder.setRequestAttributes(attributes);
					try {
						result[0] = invocation.proceed();
					}
					catch (Throwable ex) {
						result[1] = ex;
					}
				});
				if (result[1] != null) {
					throw (Throwable) result[1];
				}
				return result[0];
			};
			return advisor(advice);
		}

		private static DefaultPointcutAdvisor advisor(MethodInterceptor advice) {
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
					AnnotationMatchingPointcut.forClassAnnotation(RestController.class), advice);
			advisor.setOrder(0);
			return advisor;
		}

	}

	/**
	 * Commits whatever happens in between.
	 */
	static class TransactionInterceptor implements HandlerInterceptor {

		private final PlatformTransactionManager transactionManager;

		TransactionInterceptor(PlatformTransactionManager transactionManager) {
			this.transactionManager = transactionManager;
		}

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
			request.setAttribute("transaction", this.transactionManager.getTransaction(null));
			return true;
		}

		@Override
		public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
				Exception ex) {
			this.transactionManager.commit((TransactionStatus) request.getAttribute("transaction"));
		}

	}

	/**
	 * A mapping of the application's, which Spring MVC has not set up.
	 */
	@Configuration(proxyBeanMethods = false)
	static class BareMapping {

		@Bean
		RequestMappingHandlerMapping bareMapping() {
			RequestMappingHandlerMapping mapping = new RequestMappingHandlerMapping();
			mapping.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return mapping;
		}

	}

}
