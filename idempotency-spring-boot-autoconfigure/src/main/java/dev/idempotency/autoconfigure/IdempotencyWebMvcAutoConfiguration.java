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
package dev.idempotency.autoconfigure;

import java.util.List;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.Ordered;
import org.springframework.security.config.BeanIds;
import org.springframework.security.config.core.GrantedAuthorityDefaults;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.debug.DebugFilter;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.RequestToViewNameTranslator;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import dev.idempotency.AccountResolver;
import dev.idempotency.FingerprintStrategy;
import dev.idempotency.OutcomePolicy;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.IdentityFactory;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.StageObserver;
import dev.idempotency.phase.Phases;
import dev.idempotency.web.CommandSecurity;
import dev.idempotency.web.EndpointRegistry;
import dev.idempotency.web.ExchangeInvoker;
import dev.idempotency.web.HttpCommandRunner;
import dev.idempotency.web.IdempotencyExceptionResolver;
import dev.idempotency.web.IdempotencyFilter;
import dev.idempotency.web.IdempotencyHandlerAdapter;
import dev.idempotency.web.IdempotencyInterceptor;
import dev.idempotency.web.KeyResolver;
import dev.idempotency.web.PhasesArgumentResolver;
import dev.idempotency.web.PolicyCatalog;
import dev.idempotency.web.SpringCommandSecurity;
import dev.idempotency.web.ViewInterceptor;
import dev.idempotency.web.WebComponents;
import dev.idempotency.web.WebSettings;

/**
 * The HTTP side, for Spring MVC.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, WebMvcAutoConfiguration.class })
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
@ConditionalOnBean(IdempotencyEngine.class)
@ImportRuntimeHints(IdempotencyWebMvcAutoConfiguration.Hints.class)
public final class IdempotencyWebMvcAutoConfiguration {

	@Bean
	EndpointRegistry idempotentEndpoints(ObjectProvider<RequestMappingHandlerMapping> mappings,
			OperationFactory operations, IdempotencyProperties properties) {
		return new EndpointRegistry(mappings, operations, properties.lease().onExpiry());
	}

	@Bean
	WebComponents idempotencyWebComponents(IdempotencyProperties properties, EndpointRegistry endpoints,
			ObjectProvider<KeyResolver> keyResolver, ObjectProvider<FingerprintStrategy> fingerprints,
			OutcomePolicy outcomePolicy, ObjectProvider<ViewResolver> viewResolvers,
			ObjectProvider<RequestToViewNameTranslator> viewNames, ObjectProvider<StageObserver> stages) {
		return new WebComponents(settings(properties), endpoints, keyResolver.getIfAvailable(),
				fingerprints.getIfAvailable(), outcomePolicy, viewResolvers, viewNames,
				stages.getIfAvailable(() -> StageObserver.NONE));
	}

	private static WebSettings settings(IdempotencyProperties properties) {
		return new WebSettings(properties.header(), properties.headerSyntax(), properties.formField(),
				properties.key().minLength(), properties.key().maxLength(), properties.key().pattern(),
				properties.anonymous(), properties.fingerprint().includeHeaders(),
				properties.fingerprint().excludePointers(), properties.completer().headers(),
				properties.replay().marker(), properties.replay().deniedHeaders(), properties.replay().allowedHeaders(),
				Math.toIntExact(properties.limits().maxRequestBody().toBytes()),
				Math.toIntExact(properties.limits().maxResponseBody().toBytes()), properties.problem().documentation());
	}

	@Bean
	PolicyCatalog idempotencyPolicies(WebComponents components) {
		return components.policies();
	}

	@Bean
	ExchangeInvoker idempotentExchangeInvoker(WebComponents components, IdempotencyEngine engine,
			IdentityFactory identities) {
		return components.exchangeInvoker(engine, identities);
	}

	@Bean
	IdempotencyHandlerAdapter idempotencyHandlerAdapter(WebComponents components,
			RequestMappingHandlerAdapter requestMappingHandlerAdapter) {
		return components.handlerAdapter(requestMappingHandlerAdapter);
	}

	@Bean
	IdempotencyExceptionResolver idempotencyExceptionResolver(WebComponents components,
			ObjectProvider<HandlerExceptionResolver> resolvers) {
		return components.exceptionResolver(resolvers);
	}

	@Bean
	HttpCommandRunner idempotencyHttpCommandRunner(WebComponents components,
			IdempotencyExceptionResolver exceptionResolver, WebApplicationContext context,
			ObjectProvider<CommandSecurity> security, ObjectProvider<DispatcherServletPath> servletPath,
			ObjectProvider<ErrorController> errorController) {
		String path = servletPath.stream().map(DispatcherServletPath::getPrefix).findFirst().orElse("");
		String errorPath = errorController.stream().findAny().isEmpty() ? null
				: context.getEnvironment().resolvePlaceholders("${spring.web.error.path:${error.path:/error}}");
		return new HttpCommandRunner(context, components.filter(exceptionResolver),
				security.getIfAvailable(() -> (request) -> request), path, errorPath);
	}

	/**
	 * With Spring Security's filters.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(FilterChainProxy.class)
	static class SpringSecurityWeb {

		@Bean
		CommandSecurity idempotencyCommandSecurity(
				@Qualifier(BeanIds.SPRING_SECURITY_FILTER_CHAIN) ObjectProvider<Filter> filters,
				ObjectProvider<GrantedAuthorityDefaults> authorities) {
			String prefix = authorities.stream()
				.map(GrantedAuthorityDefaults::getRolePrefix)
				.findFirst()
				.orElse("ROLE_");
			return new SpringCommandSecurity(chains(filters.getIfAvailable()), prefix);
		}

		private static List<SecurityFilterChain> chains(@Nullable Filter filter) {
			if (filter instanceof DebugFilter debug) {
				return debug.getFilterChainProxy().getFilterChains();
			}
			return (filter instanceof FilterChainProxy proxy) ? proxy.getFilterChains() : List.of();
		}

	}

	@Bean
	FilterRegistrationBean<IdempotencyFilter> idempotencyFilter(WebComponents components,
			IdempotencyExceptionResolver exceptionResolver) {
		FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(
				components.filter(exceptionResolver));
		registration.setDispatcherTypes(DispatcherType.ERROR);
		registration.setOrder(Ordered.LOWEST_PRECEDENCE);
		return registration;
	}

	@Bean
	WebMvcConfigurer idempotencyInterceptorRegistration(ObjectProvider<WebComponents> components,
			ObjectProvider<AccountResolver> accountResolver, ObjectProvider<Phases> phases) {
		return new WebMvcConfigurer() {

			@Override
			public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
				resolvers.add(new PhasesArgumentResolver(phases.getObject()));
			}

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				IdempotencyInterceptor interceptor = components.getObject().interceptor(accountResolver.getObject());
				// Behind the application's interceptors: what these refuse is not ours.
				registry.addInterceptor(interceptor).order(Ordered.LOWEST_PRECEDENCE);
				registry.addInterceptor(new ViewInterceptor()).order(Ordered.HIGHEST_PRECEDENCE);
			}

		};
	}

	/**
	 * What the completer's requests and hidden responses are proxies of.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.proxies().registerJdkProxy(HttpServletRequest.class);
			hints.proxies().registerJdkProxy(HttpServletResponse.class);
		}

	}

}
