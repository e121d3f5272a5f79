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
package dev.idempotency.web;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.phase.Phases;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.endpoint.SensitiveNames;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.fingerprint.CanonicalFingerprint;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyReader;
import dev.idempotency.web.key.KeyResolver;
import dev.idempotency.web.problem.ProblemCustomizer;

/**
 * The beans that a request passes, and the parts that these share.
 */
@Configuration(proxyBeanMethods = false)
public final class RequestPathConfiguration {

	private final EndpointRegistry registry;

	private final WebSettings settings;

	private final OutcomePolicy outcomePolicy;

	private final KeyReader keyReader;

	private final FingerprintStrategy fingerprints;

	private final HandlerRequest.Settings requests;

	private final ResponseRecorder recorder;

	private final IdempotencyExceptionResolver exceptionResolver;

	RequestPathConfiguration(EndpointRegistry registry, WebSettings settings, OutcomePolicy outcomePolicy,
			ApplicationContext context) {
		this.registry = registry;
		this.settings = settings;
		this.outcomePolicy = outcomePolicy;
		this.keyReader = new KeyReader(settings, context.getBeanProvider(KeyResolver.class).getIfAvailable());
		this.fingerprints = context.getBeanProvider(FingerprintStrategy.class)
			.getIfAvailable(() -> new CanonicalFingerprint(settings.includedHeaders(), settings.excludedPointers()));
		SensitiveNames sensitive = new SensitiveNames(settings.deniedHeaders(), settings.sessionParameters());
		this.requests = HandlerRequest.Settings.of(settings, sensitive, context.getBean(ReceivedBytes.class));
		this.recorder = new ResponseRecorder(settings, sensitive);
		ObjectProvider<HandlerExceptionResolver> resolvers = context.getBeanProvider(HandlerExceptionResolver.class);
		this.exceptionResolver = new IdempotencyExceptionResolver(resolvers, this.recorder, outcomePolicy,
				context.getBeanProvider(CommandDispatcher.class),
				new ProblemWriter(settings.header(), settings.problemBase(), settings.documentation(), context,
						context.getBeanProvider(ProblemCustomizer.class), resolvers));
	}

	/**
	 * Returns the filter that stores the responses of the error page.
	 */
	public Filter errorPageFilter() {
		return this.exceptionResolver::filterErrorPage;
	}

	/**
	 * Returns the filter that ends a failed request whose failure another filter has
	 * answered. Around all others.
	 * @param inUse tests whether the application uses the library
	 */
	public static Filter answerFilter(BooleanSupplier inUse) {
		return new RequestEnd(inUse);
	}

	@Bean
	ClaimAdvice idempotentRequestClaims(IdempotencyEngine engine, IdentityFactory identities,
			ObjectProvider<AccountRunner> accounts, RequestTransactions transactions) {
		return new ClaimAdvice(engine, identities, this.keyReader, this.fingerprints, this.registry, accounts,
				transactions);
	}

	@Bean
	IdempotencyHandlerAdapter idempotencyHandlerAdapter(RequestMappingHandlerAdapter requestMappingHandlerAdapter,
			RequestTransactions transactions, CommandDispatcher dispatcher) {
		return new IdempotencyHandlerAdapter(this.registry, this.requests, transactions, requestMappingHandlerAdapter,
				dispatcher, this.outcomePolicy, this.recorder);
	}

	@Bean
	IdempotencyExceptionResolver idempotencyExceptionResolver() {
		return this.exceptionResolver;
	}

	@Bean
	static ServletRequestListener idempotencyRequestListener() {
		return new RequestEnd.Listener();
	}

	/**
	 * Creates the runner of stored requests.
	 * @param dispatcher dispatches the requests
	 * @param senders adds the sender, for whom the thread acts, to a request
	 * @return the runner
	 */
	public CommandRunner commandRunner(CommandDispatcher dispatcher, UnaryOperator<HttpServletRequest> senders) {
		return new HttpCommandRunner(dispatcher, errorPageFilter(), senders);
	}

	private IdempotencyInterceptor interceptor(CallerAccounts accounts) {
		return new IdempotencyInterceptor(this.registry, this.keyReader, accounts, this.settings.formWait());
	}

	/**
	 * Registers the resolver of phases before all others: Spring Data 4.0 takes any
	 * parameter whose type is an interface for a projection.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static WebMvcConfigurer idempotencyArgumentResolverRegistration(ObjectProvider<Phases> phases) {
		return new WebMvcConfigurer() {

			@Override
			public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
				resolvers.add(new PhasesArgumentResolver(phases::getObject));
			}

		};
	}

	/**
	 * Registers the interceptors. Static, since Spring MVC asks for it before there is a
	 * mapping that could be protected.
	 */
	@Bean
	static WebMvcConfigurer idempotencyInterceptorRegistration(ObjectProvider<RequestPathConfiguration> path,
			ObjectProvider<CallerAccounts> accounts) {
		return new WebMvcConfigurer() {

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				IdempotencyInterceptor interceptor = path.getObject().interceptor(accounts.getObject());
				// Behind the application's interceptors: requests that these refuse are
				// not claimed.
				registry.addInterceptor(interceptor).order(Ordered.LOWEST_PRECEDENCE);
				registry.addInterceptor(new IdempotencyHandlerAdapter.ViewInterceptor())
					.order(Ordered.HIGHEST_PRECEDENCE);
			}

		};
	}

}
