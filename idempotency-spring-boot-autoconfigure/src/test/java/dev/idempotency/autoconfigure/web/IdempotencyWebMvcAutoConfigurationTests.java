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
package dev.idempotency.autoconfigure.web;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodParameter;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import dev.idempotency.Idempotent;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.aop.EndpointProtection;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.web.RequestPathConfiguration;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.key.KeyResolver;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyWebMvcAutoConfigurationTests {

	private final WebApplicationContextRunner contextRunner = TestContexts.web();

	@Test
	void protectsAnnotatedControllerMethods() {
		this.contextRunner.withBean(Payments.class).run((context) -> {
			assertThat(context).hasBean("idempotencyHandlerAdapter")
				.hasSingleBean(EndpointProtection.class)
				.hasBean("idempotencyFilter");
			assertThat(context.getBean(OperationFactory.class).all()).extracting(IdempotentOperation::name)
				.containsExactly("POST /payments");
		});
	}

	@Test
	void theResponseIsTheContainersOwnUntilSomethingIsAnnotated() {
		new WebApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withConfiguration(
					AutoConfigurations.of(JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
							DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
							DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=jdbc:postgresql://nowhere.invalid/none")
			.run((context) -> assertThat(passedOn(context)).isInstanceOf(MockHttpServletResponse.class));
		this.contextRunner.withBean(Payments.class)
			.run((context) -> assertThat(passedOn(context)).isNotInstanceOf(MockHttpServletResponse.class));
	}

	private static ServletResponse passedOn(ApplicationContext context) throws Exception {
		Filter filter = context.getBean("idempotencyAnswerFilter", FilterRegistrationBean.class).getFilter();
		MockFilterChain chain = new MockFilterChain();
		filter.doFilter(new MockHttpServletRequest(), new MockHttpServletResponse(), chain);
		return Objects.requireNonNull(chain.getResponse());
	}

	@Test
	void isSwitchedOffByItsProperty() {
		this.contextRunner.withBean(Payments.class)
			.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertNotThere(context));
	}

	@Test
	void asksTheKeyResolverOfTheApplication() {
		this.contextRunner.withBean(KeyResolver.class, () -> (request) -> null)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(KeyResolver.class));
	}

	/**
	 * As the one of Spring Data 4.0, which takes all interfaces for projections.
	 */
	@Test
	void phasesAreResolvedBeforeAResolverThatTakesAnyInterface() {
		this.contextRunner.withBean(WebMvcConfigurer.class, () -> new WebMvcConfigurer() {

			@Override
			public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
				resolvers.add(new InterfaceResolver());
			}

		})
			.run((context) -> assertThat(
					context.getBean(RequestMappingHandlerAdapter.class).getCustomArgumentResolvers())
				.extracting((resolver) -> resolver.getClass().getSimpleName())
				.containsSubsequence("PhasesArgumentResolver", "InterfaceResolver"));
	}

	@Test
	void isNotThereWithoutSpringMvc() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
			.run((context) -> assertNotThere(context));
	}

	@Test
	void backsOffWithoutAWebApplication() {
		TestContexts.withoutDatabase().run((context) -> assertNotThere(context));
	}

	/**
	 * As with {@code @SpringBootTest(webEnvironment = NONE)}.
	 */
	@Test
	void controllersInAnApplicationWithoutAWebServerAreNoMistake() {
		ApplicationContextRunner noWeb = TestContexts.withoutDatabase()
			.withBean(Payments.class)
			.withBean(AnnotatedClass.class);
		noWeb.run((context) -> {
			assertNotThere(context);
			assertThat(context.getBean(Payments.class).pay()).isEqualTo("paid");
		});
	}

	private static void assertNotThere(ApplicationContext context) {
		assertThat(Stream.of(EndpointRegistry.class, RequestPathConfiguration.class, EndpointProtection.class)
			.flatMap((type) -> Stream.of(context.getBeanNamesForType(type)))).isEmpty();
	}

	private static final class InterfaceResolver implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.getParameterType().isInterface();
		}

		@Override
		public @Nullable Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
				NativeWebRequest request, @Nullable WebDataBinderFactory binders) {
			return null;
		}

	}

	@RestController
	static class Payments {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "paid";
		}

	}

	@Idempotent
	@RestController
	static class AnnotatedClass {

		@PostMapping("/orders")
		String order() {
			return toString();
		}

	}

}
