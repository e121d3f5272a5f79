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

import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.RequestToViewNameTranslator;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import dev.idempotency.AccountResolver;
import dev.idempotency.FingerprintStrategy;
import dev.idempotency.OutcomePolicy;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.IdentityFactory;
import dev.idempotency.engine.StageObserver;

/**
 * Puts the HTTP side together.
 */
public final class WebComponents {

	private final WebSettings settings;

	private final EndpointRegistry registry;

	private final KeyReader keyReader;

	private final RequestReader requestReader;

	private final AnswerRecorder answers;

	private final OutcomePolicy outcomePolicy;

	private final ViewRenderer views;

	private final PolicyCatalog policies;

	/**
	 * Put the HTTP side together.
	 * @param settings the settings
	 * @param registry the endpoints
	 * @param keyResolver where the key is, {@code null} for the default
	 * @param fingerprints what makes fingerprints, {@code null} for the default
	 * @param outcomePolicy which outcomes are final
	 * @param viewResolvers the application's view resolvers
	 * @param viewNames the application's translator of requests to view names
	 * @param stages who follows requests
	 */
	public WebComponents(WebSettings settings, EndpointRegistry registry, @Nullable KeyResolver keyResolver,
			@Nullable FingerprintStrategy fingerprints, OutcomePolicy outcomePolicy,
			ObjectProvider<ViewResolver> viewResolvers, ObjectProvider<RequestToViewNameTranslator> viewNames,
			StageObserver stages) {
		this.settings = settings;
		this.registry = registry;
		this.keyReader = new KeyReader(
				(keyResolver != null) ? keyResolver : new DefaultKeyResolver(settings.header(), settings.formField()),
				new KeyParser(settings.header(), settings.syntax(), settings.minKeyLength(), settings.maxKeyLength(),
						settings.keyPattern()));
		this.requestReader = new RequestReader(
				(fingerprints != null) ? fingerprints
						: new CanonicalFingerprint(settings.includedHeaders(), settings.excludedPointers()),
				settings.maxRequestBody(), commandHeaders(settings));
		this.answers = new AnswerRecorder(new HeaderPolicy(settings.deniedHeaders(), settings.allowedHeaders()),
				settings.maxResponseBody(), settings.marker(), stages);
		this.outcomePolicy = outcomePolicy;
		this.views = new ViewRenderer(viewResolvers, viewNames);
		this.policies = new PolicyCatalog(registry, settings, keyResolver == null, fingerprints == null);
	}

	public PolicyCatalog policies() {
		return this.policies;
	}

	private static Set<String> commandHeaders(WebSettings settings) {
		Set<String> names = new LinkedHashSet<>(HttpCommand.HEADERS);
		names.addAll(settings.includedHeaders());
		names.addAll(settings.commandHeaders());
		return names;
	}

	public IdempotencyInterceptor interceptor(AccountResolver accountResolver) {
		return new IdempotencyInterceptor(this.registry, this.keyReader, accountResolver, this.settings.anonymous());
	}

	public IdempotencyHandlerAdapter handlerAdapter(RequestMappingHandlerAdapter delegate) {
		return new IdempotencyHandlerAdapter(this.registry, delegate, this.requestReader, this.answers,
				this.outcomePolicy, this.views);
	}

	public ExchangeInvoker exchangeInvoker(IdempotencyEngine engine, IdentityFactory identities) {
		return new ExchangeInvoker(engine, identities, this.keyReader);
	}

	public IdempotencyExceptionResolver exceptionResolver(ObjectProvider<HandlerExceptionResolver> all) {
		return new IdempotencyExceptionResolver(all, this.answers, this.outcomePolicy, this.views,
				new ProblemWriter(this.settings.documentation()));
	}

	public IdempotencyFilter filter(IdempotencyExceptionResolver resolver) {
		return new IdempotencyFilter(this.answers, resolver);
	}

}
