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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.http.HttpServletRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.validation.Errors;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.support.RequestContextUtils;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.ReplayAuthorizer.ReplayAttempt;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.account.Sender;
import dev.idempotency.aop.ClaimedBody;
import dev.idempotency.aop.EndpointProtection;
import dev.idempotency.aop.KeyExpression;
import dev.idempotency.engine.Claim;
import dev.idempotency.engine.ClaimRequest;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.Execution;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.IdentityFactory.Kind;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.store.Identity;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.fingerprint.CanonicalFingerprint;
import dev.idempotency.web.fingerprint.FingerprintStrategy;
import dev.idempotency.web.key.KeyReader;

/**
 * The claims of requests. The request that is bound to the thread is claimed within the
 * controller's proxy, so that authorisation, reading the body and validation come first,
 * on a retry as on the first exchange.
 */
final class ClaimAdvice implements EndpointProtection {

	private static final Log logger = LogFactory.getLog(ClaimAdvice.class);

	private final IdempotencyEngine engine;

	private final IdentityFactory identities;

	private final KeyReader keyReader;

	private final FingerprintStrategy fingerprints;

	private final EndpointRegistry registry;

	private final ObjectProvider<AccountRunner> accounts;

	private final RequestTransactions transactions;

	private final Set<Method> reported = ConcurrentHashMap.newKeySet();

	/**
	 * Creates the claims of requests.
	 * @param engine claims requests
	 * @param identities creates identities from keys
	 * @param keyReader reads keys
	 * @param fingerprints compares requests
	 * @param registry the annotated endpoints
	 * @param accounts the runner that tells which senders are completed
	 * @param transactions watches the transactions of requests
	 */
	ClaimAdvice(IdempotencyEngine engine, IdentityFactory identities, KeyReader keyReader,
			FingerprintStrategy fingerprints, EndpointRegistry registry, ObjectProvider<AccountRunner> accounts,
			RequestTransactions transactions) {
		this.fingerprints = fingerprints;
		this.registry = registry;
		this.engine = engine;
		this.identities = identities;
		this.keyReader = keyReader;
		this.accounts = accounts;
		this.transactions = transactions;
	}

	@Override
	public boolean isEndpoint(Method method, Class<?> type) {
		return this.registry.isMapped(method) || EndpointProtection.super.isEndpoint(method, type);
	}

	@Override
	public boolean protects(Method method, Class<?> type) {
		return this.registry.protects(method, type);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		RequestAttributes bound = RequestContextHolder.getRequestAttributes();
		HttpServletRequest request = (bound instanceof ServletRequestAttributes attributes) ? attributes.getRequest()
				: null;
		Exchange exchange = (request != null) ? Exchange.boundTo(request) : null;
		HandlerRequest unclaimed = (exchange != null && isHandler(exchange.endpoint().handler(), invocation))
				? exchange.unclaimed() : null;
		if (exchange != null && unclaimed != null) {
			ClaimRequest claimRequest = claimRequest(exchange, unclaimed, invocation);
			if (claimRequest != null) {
				requireClaimable(exchange);
				try {
					Execution execution = claim(exchange, claimRequest, invocation);
					try (Scope scope = execution.openScope()) {
						Object result = ClaimedBody.proceed(invocation);
						exchange.requireStorable(result);
						if (!hasErrors(invocation.getArguments())) {
							execution.flush();
						}
						return result;
					}
				}
				catch (Throwable ex) {
					exchange.leftProxy(ex);
					throw ex;
				}
			}
		}
		if (request == null) {
			report(invocation.getMethod());
		}
		else if (exchange == null) {
			requireIntercepted(request, invocation);
		}
		return invocation.proceed();
	}

	/**
	 * Returns whether the handler knows of errors in what it was given. What it has
	 * bound, an entity perhaps, is then not to be sent to the database.
	 */
	private static boolean hasErrors(@Nullable Object[] arguments) {
		for (Object argument : arguments) {
			if (argument instanceof Errors errors && errors.hasErrors()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Reports a call that may belong to a request: advice may have changed the thread.
	 */
	private void report(Method method) {
		if (this.registry.isMapped(method) && this.reported.add(method)) {
			LogEvent.CALLED_WITHOUT_REQUEST.log(logger,
					"A protected handler was called on a thread without a request, and ran unprotected ["
							+ method.getDeclaringClass().getName() + "#" + method.getName() + "]");
		}
	}

	private @Nullable ClaimRequest claimRequest(Exchange exchange, HandlerRequest request,
			MethodInvocation invocation) {
		Endpoint endpoint = exchange.endpoint();
		IdempotentOperation operation = endpoint.operation();
		EffectCommits commits = endpoint.commits();
		Recovery recovery = exchange.recovery();
		if (recovery != null) {
			return new ClaimRequest(operation, recovery.lease().identity(), Fingerprint.of(recovery.fingerprint()),
					commits, null, recovery);
		}
		String key = key(endpoint, exchange.key(), invocation);
		if (key == null) {
			return null;
		}
		Identity identity = this.identities.create(operation, Kind.RESPONSE, exchange.account(), key);
		RequestContent content = request.content();
		Fingerprint fingerprint = fingerprint(content, identity, operation);
		Sender sender = exchange.sender();
		return new ClaimRequest(operation, identity, fingerprint, commits,
				(sender != null) ? command(sender, content) : null, null);
	}

	/**
	 * Creates the command for the completer. Of a request that it cannot repeat only the
	 * sender and the reason are stored.
	 */
	private Command command(Sender sender, RequestContent content) {
		if (!this.accounts.getObject().supports(sender)) {
			return Command.notStored(sender, "The AccountRunner of the application does not support the sender.");
		}
		HttpCommand request = content.command();
		return (request != null) ? new Command(sender, HttpCommand.KIND, request.toBytes())
				: Command.notStored(sender,
						"The request is not stored, since it has parts, a form that was read as bytes, or a member "
								+ "of idempotency.completer.exclude-pointers.");
	}

	private Fingerprint fingerprint(RequestContent content, Identity identity, IdempotentOperation operation) {
		try {
			return (this.fingerprints instanceof CanonicalFingerprint canonical)
					? canonical.fingerprint(content, this.identities, identity, operation)
					: this.identities.fingerprint(identity, operation, this.fingerprints.fingerprint(content));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Execution claim(Exchange exchange, ClaimRequest claimRequest, MethodInvocation invocation) {
		Duration maxWait = exchange.maxWait();
		Claim claim = (maxWait != null) ? this.engine.claim(claimRequest, maxWait) : this.engine.claim(claimRequest);
		if (claim instanceof Claim.Replayed replayed) {
			if (claimRequest.recovery() == null) {
				this.engine.requireAuthorized(() -> new ReplayAttempt(claimRequest.operation(), exchange.account(),
						Arrays.asList(invocation.getArguments())));
			}
			throw exchange.replayed(replayed.response());
		}
		Execution execution = (Execution) claim;
		exchange.claimed(execution);
		return execution;
	}

	/**
	 * Fails if something around the handler has changed the thread or opened a
	 * transaction: the claim opens the transaction, and the adapter ends it on its
	 * thread.
	 */
	private void requireClaimable(Exchange exchange) {
		exchange.requireThread();
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			this.transactions.rollBackOnly();
			throw exchange.violations().insideTransaction();
		}
	}

	private @Nullable String key(Endpoint endpoint, @Nullable String received, MethodInvocation invocation) {
		KeyExpression expression = endpoint.keyExpression();
		if (expression == null) {
			return received;
		}
		String key = expression.evaluate(invocation.getThis(), invocation.getMethod(), invocation.getArguments());
		if (key == null && endpoint.operation().required()) {
			throw new MissingKeyException("The request carries no idempotency key.");
		}
		return (key != null) ? this.keyReader.validate(key) : null;
	}

	/**
	 * Fails if the request has come to its handler without the interceptor, and has or
	 * needs a key. Without one there is nothing to protect.
	 */
	private void requireIntercepted(HttpServletRequest request, MethodInvocation invocation) {
		HandlerMethod handler = IdempotencyInterceptor.bypassed(request);
		if (handler != null && isHandler(handler.getMethod(), invocation) && needsClaim(request, invocation)) {
			throw HandlerViolations.notIntercepted(handler, RequestContextUtils.findWebApplicationContext(request));
		}
	}

	private boolean needsClaim(HttpServletRequest request, MethodInvocation invocation) {
		Object target = invocation.getThis();
		Endpoint endpoint = (target != null)
				? this.registry.find(invocation.getMethod(), AopUtils.getTargetClass(target)) : null;
		if (endpoint == null || endpoint.operation().required()) {
			return true;
		}
		KeyExpression expression = endpoint.keyExpression();
		return (expression == null) ? this.keyReader.hasKey(request)
				: expression.evaluate(target, invocation.getMethod(), invocation.getArguments()) != null;
	}

	private static boolean isHandler(Method handler, MethodInvocation invocation) {
		Method declared = BridgeMethodResolver.findBridgedMethod(handler);
		Method invoked = BridgeMethodResolver.findBridgedMethod(invocation.getMethod());
		return declared.getName().equals(invoked.getName())
				&& Arrays.equals(declared.getParameterTypes(), invoked.getParameterTypes());
	}

}
