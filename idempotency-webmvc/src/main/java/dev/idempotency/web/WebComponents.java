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

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.MessageSource;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.RequestToViewNameTranslator;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.ReplayChecks;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.SenderSource;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.web.capture.AnswerRecorder;
import dev.idempotency.web.capture.HeaderPolicy;
import dev.idempotency.web.capture.SessionIds;
import dev.idempotency.web.fingerprint.CanonicalFingerprint;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.fingerprint.FormLimits;
import dev.idempotency.web.fingerprint.RequestReader;
import dev.idempotency.web.key.DefaultKeyResolver;
import dev.idempotency.web.key.KeyParser;
import dev.idempotency.web.key.KeyReader;
import dev.idempotency.web.key.KeyResolver;
import dev.idempotency.web.policy.EndpointRegistry;
import dev.idempotency.web.policy.PolicyCatalog;
import dev.idempotency.web.policy.WebSettings;
import dev.idempotency.web.problem.ProblemCustomizer;
import dev.idempotency.web.problem.ProblemWriter;
import dev.idempotency.web.recovery.CommandParts;

/**
 * Assembles the HTTP side.
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
	 * Creates the HTTP side.
	 * @param settings the settings
	 * @param formLimits the container's limits
	 * @param registry the endpoints
	 * @param keyResolver the place of the key, {@code null} for the default
	 * @param fingerprints makes fingerprints, {@code null} for the default
	 * @param outcomePolicy decides about final outcomes
	 * @param viewResolvers the application's view resolvers
	 * @param viewNames the application's translator of requests to view names
	 * @param stages the observer of requests
	 */
	public WebComponents(WebSettings settings, FormLimits formLimits, EndpointRegistry registry,
			@Nullable KeyResolver keyResolver, @Nullable FingerprintStrategy fingerprints, OutcomePolicy outcomePolicy,
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
				settings.maxRequestBody(), formLimits, CommandParts.of(settings));
		this.answers = new AnswerRecorder(
				new HeaderPolicy(settings.deniedHeaders(), settings.allowedHeaders(),
						new SessionIds(settings.sessionParameters())),
				settings.maxResponseBody(), settings.marker(), stages);
		this.outcomePolicy = outcomePolicy;
		this.views = new ViewRenderer(viewResolvers, viewNames);
		this.policies = new PolicyCatalog(registry, settings, keyResolver == null, fingerprints == null);
	}

	public PolicyCatalog policies() {
		return this.policies;
	}

	public IdempotencyInterceptor interceptor(CallerAccounts accounts) {
		return new IdempotencyInterceptor(this.registry, this.keyReader, accounts, this.settings.formWait());
	}

	public IdempotencyHandlerAdapter handlerAdapter(RequestMappingHandlerAdapter delegate, ThreadGuard guard,
			ErrorPage errorPage) {
		return new IdempotencyHandlerAdapter(this.registry, this.requestReader, new CapturedExecution.Parts(guard,
				delegate, this.views, new Conclusion(this.answers, this.outcomePolicy, errorPage), this.answers));
	}

	public RequestClaims requestClaims(IdempotencyEngine engine, IdentityFactory identities, SenderSource senders,
			ReplayChecks replays, ThreadGuard guard) {
		return new RequestClaims(engine, identities, this.keyReader, this.registry, senders, replays, guard);
	}

	public IdempotencyExceptionResolver exceptionResolver(ObjectProvider<HandlerExceptionResolver> all,
			MessageSource messages, ObjectProvider<ProblemCustomizer> customizers) {
		return new IdempotencyExceptionResolver(all, this.answers, this.outcomePolicy, this.views,
				new ProblemWriter(this.settings.header(), this.settings.problemBase(), this.settings.documentation(),
						messages, customizers, all));
	}

	public IdempotencyFilter filter(IdempotencyExceptionResolver resolver) {
		return new IdempotencyFilter(this.answers, resolver);
	}

}
