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

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.UnaryOperator;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.security.config.core.GrantedAuthorityDefaults;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestWrapper;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.servlet.support.RequestDataValueProcessor;

import dev.idempotency.account.AccountRunner;
import dev.idempotency.autoconfigure.ExecutionProperties;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.autoconfigure.guard.DeferredActivation;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.phase.Phases;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.web.CommandDispatcher;
import dev.idempotency.web.FormKeyProcessor;
import dev.idempotency.web.ReceivedBytes;
import dev.idempotency.web.RequestPathConfiguration;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyResolver;
import dev.idempotency.web.openapi.IdempotencyOpenApiCustomizer;

/**
 * Auto-configuration of the endpoints of Spring MVC, and of the completer, which repeats
 * their requests. Runs last, so that it finds an existing processor of forms.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, WebMvcAutoConfiguration.class },
		afterName = "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration")
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass({ Servlet.class, DispatcherServlet.class, RequestPathConfiguration.class })
@ConditionalOnBean(IdempotencyEngine.class)
@EnableConfigurationProperties(IdempotencyWebProperties.class)
@ImportRuntimeHints(IdempotencyWebMvcAutoConfiguration.Hints.class)
@Import({ EnforcementImport.class, RequestPathConfiguration.class })
public final class IdempotencyWebMvcAutoConfiguration {

	private static final boolean SECURITY = ClassUtils.isPresent(
			"org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestWrapper",
			IdempotencyWebMvcAutoConfiguration.class.getClassLoader());

	@Bean
	EndpointRegistry idempotentEndpoints(ObjectProvider<RequestMappingHandlerMapping> mappings,
			ObjectProvider<HandlerMapping> all, OperationFactory operations, ExecutionProperties properties,
			ListableBeanFactory beans) {
		return new EndpointRegistry(mappings, all, operations, properties.leaseExpiry(),
				completer(properties.completes(), beans));
	}

	/**
	 * Looks for the runner without creating it, since it may need the users of the
	 * application.
	 */
	private static EndpointRegistry.Completer completer(boolean enabled, ListableBeanFactory beans) {
		if (!enabled) {
			return EndpointRegistry.Completer.OFF;
		}
		return (beans.getBeanNamesForType(AccountRunner.class, true, false).length > 0) ? EndpointRegistry.Completer.ON
				: EndpointRegistry.Completer.WITHOUT_ACCOUNTS;
	}

	private static Set<String> sessionParameters(@Nullable ServletContext context) {
		Set<String> names = new LinkedHashSet<>(Set.of("jsessionid"));
		String configured = (context != null) ? context.getSessionCookieConfig().getName() : null;
		if (configured != null && !configured.isEmpty()) {
			names.add(configured);
		}
		return names;
	}

	@Bean
	ReceivedBytes idempotencyReceivedBytes() {
		return new ContainerBytes();
	}

	@Bean
	WebSettings idempotencyWebSettings(IdempotencyProperties properties, ExecutionProperties execution,
			IdempotencyWebProperties web, WebApplicationContext context) {
		return new WebSettings(web.header(), web.headerSyntax(), properties.keyPattern(), properties.anonymous(),
				web.fingerprint().includeHeaders(), web.fingerprint().excludePointers(), web.completer().headers(),
				web.completer().excludePointers(), web.completer().excludedParameters(), web.replay().marker(),
				web.replay().deniedHeaders(), execution.maxRequestBody(), execution.maxResponseBody(),
				web.problem().documentation(), web.problem().typeBase(), execution.longestWait(),
				sessionParameters(context.getServletContext()));
	}

	@Bean
	CommandDispatcher idempotencyCommandDispatcher(WebApplicationContext context,
			ObjectProvider<DispatcherServletPath> servletPath, ObjectProvider<ErrorController> errorController) {
		return new CommandDispatcher(context,
				servletPath.stream().map(DispatcherServletPath::getPrefix).findFirst().orElse(""),
				errorPath(context, errorController));
	}

	private static @Nullable String errorPath(WebApplicationContext context,
			ObjectProvider<ErrorController> errorController) {
		return errorController.stream().findAny().isEmpty() ? null
				: context.getEnvironment().resolvePlaceholders("${spring.web.error.path:${error.path:/error}}");
	}

	@Bean
	@Lazy
	CommandRunner idempotencyHttpCommandRunner(RequestPathConfiguration path, CommandDispatcher dispatcher,
			ListableBeanFactory beans) {
		return path.commandRunner(dispatcher, SECURITY ? SecuredRequests.of(beans) : UnaryOperator.identity());
	}

	@Bean
	@ConditionalOnBooleanProperty(name = "idempotency.completer.enabled", matchIfMissing = true)
	@ConditionalOnBean({ UnfinishedStore.class, AccountRunner.class })
	@ConditionalOnMissingBean
	IdempotencyCompleter idempotencyCompleter(UnfinishedStore unfinished, IdempotencyStore store, LeaseKeeper keeper,
			ContentCodec codec, ObjectProvider<CommandRunner> runners, AccountRunner accountRunner,
			NotificationPublisher notifications, ExecutionProperties properties) {
		return new IdempotencyCompleter(unfinished, LeaseKeeper.requireLeases(store, "IdempotencyCompleter"), keeper,
				codec, runners.orderedStream().toList(), accountRunner, notifications, properties.completerSchedule());
	}

	@Bean
	static FilterRegistrationBean<Filter> idempotencyAnswerFilter(DeferredActivation use) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(
				RequestPathConfiguration.answerFilter(use::isInUse));
		registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
		return registration;
	}

	/**
	 * The web server starts before the beans that requests pass.
	 */
	@Bean
	static FilterRegistrationBean<Filter> idempotencyFilter(ObjectProvider<RequestPathConfiguration> path) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(
				(request, response, chain) -> path.getObject().errorPageFilter().doFilter(request, response, chain));
		registration.setDispatcherTypes(DispatcherType.ERROR, DispatcherType.FORWARD);
		registration.setOrder(Ordered.LOWEST_PRECEDENCE);
		return registration;
	}

	/**
	 * Requests of the completer with Spring Security: they have the principal and the
	 * roles of the thread. Only loaded with its classes.
	 */
	private static final class SecuredRequests {

		static UnaryOperator<HttpServletRequest> of(ListableBeanFactory beans) {
			String prefix = beans.getBeanProvider(GrantedAuthorityDefaults.class)
				.stream()
				.map(GrantedAuthorityDefaults::getRolePrefix)
				.findFirst()
				.orElse("ROLE_");
			SecurityContextHolderStrategy holder = beans.getBeanProvider(SecurityContextHolderStrategy.class)
				.getIfUnique(SecurityContextHolder::getContextHolderStrategy);
			return (request) -> {
				SecurityContextHolderAwareRequestWrapper sent = new SecurityContextHolderAwareRequestWrapper(request,
						prefix);
				sent.setSecurityContextHolderStrategy(holder);
				return sent;
			};
		}

	}

	/**
	 * Keys in forms. Spring MVC gets the hidden fields of a form from one bean with a
	 * fixed name: an existing bean, such as Spring Security's, is wrapped.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "idempotency.form.insert-key", matchIfMissing = true)
	static class Forms {

		private static final String PROCESSOR = "requestDataValueProcessor";

		/**
		 * Comes first, so that its condition does not match the library's own processor.
		 */
		@Bean
		@ConditionalOnBean(name = PROCESSOR)
		static BeanPostProcessor idempotencyFormKeyWrapper(ObjectProvider<EndpointRegistry> endpoints) {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (name.equals(PROCESSOR) && bean instanceof RequestDataValueProcessor processor)
							? new FormKeyProcessor(processor, endpoints) : bean;
				}

			};
		}

		@Bean(PROCESSOR)
		@ConditionalOnMissingBean(name = PROCESSOR)
		static RequestDataValueProcessor idempotencyFormKeys(ObjectProvider<EndpointRegistry> endpoints) {
			return new FormKeyProcessor(null, endpoints);
		}

	}

	/**
	 * Protected operations in the OpenAPI documents of springdoc.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(GlobalOperationCustomizer.class)
	@ConditionalOnBooleanProperty(name = "idempotency.openapi.enabled", matchIfMissing = true)
	static class OpenApi {

		@Bean
		@ConditionalOnMissingBean
		IdempotencyOpenApiCustomizer idempotencyOpenApiCustomizer(EndpointRegistry registry, WebSettings settings,
				ObjectProvider<KeyResolver> ownKeys, ObjectProvider<FingerprintStrategy> ownFingerprints) {
			// Comes from the library, not from the request
			SpringDocUtils.getConfig().addRequestWrapperToIgnore(Phases.class);
			return new IdempotencyOpenApiCustomizer(registry, settings, ownKeys.getIfAvailable(),
					ownFingerprints.getIfAvailable());
		}

	}

	/**
	 * Registers the proxies of the completer's requests and of hidden responses, and the
	 * field of Tomcat's requests that leads to their count.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.proxies().registerJdkProxy(HttpServletRequest.class);
			hints.proxies().registerJdkProxy(HttpServletResponse.class);
			hints.reflection()
				.registerTypeIfPresent(classLoader, "org.apache.catalina.connector.RequestFacade",
						(facade) -> facade.withField("request"));
		}

	}

}
