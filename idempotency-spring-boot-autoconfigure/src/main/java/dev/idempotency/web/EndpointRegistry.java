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

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import dev.idempotency.Idempotent;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.InvalidIdempotentException;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.Mode;
import dev.idempotency.aop.IdempotentAnnotations;
import dev.idempotency.aop.IdempotentMethodInterceptor;
import dev.idempotency.aop.KeyExpression;
import dev.idempotency.engine.Call.Commits;
import dev.idempotency.engine.OperationFactory;

/**
 * Knows the annotated controller methods. All are resolved and validated at start-up;
 * what is registered later is resolved when it is first called.
 */
public final class EndpointRegistry implements SmartInitializingSingleton {

	private static final Set<RequestMethod> SAFE = Set.of(RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS,
			RequestMethod.TRACE);

	private static final Set<String> SAFE_NAMES = SAFE.stream()
		.map(RequestMethod::name)
		.collect(Collectors.toUnmodifiableSet());

	private final ObjectProvider<RequestMappingHandlerMapping> mappings;

	private final OperationFactory operations;

	private final LeaseExpiry onExpiry;

	private final ReturnTypes returnTypes = new ReturnTypes();

	private final Map<HandlerMethod, Optional<Endpoint>> endpoints = new ConcurrentHashMap<>();

	/**
	 * Create a registry.
	 * @param mappings the application's mappings
	 * @param operations makes operations of annotations
	 * @param onExpiry what becomes of a request whose owner let its lease expire
	 */
	public EndpointRegistry(ObjectProvider<RequestMappingHandlerMapping> mappings, OperationFactory operations,
			LeaseExpiry onExpiry) {
		this.mappings = mappings;
		this.operations = operations;
		this.onExpiry = onExpiry;
	}

	/**
	 * Whether a request with this method changes nothing by definition (RFC 9110 section
	 * 9.2.1): a key on it has no effect.
	 */
	static boolean isSafe(String method) {
		return SAFE_NAMES.contains(method);
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.mappings.forEach((mapping) -> mapping.getHandlerMethods()
			.forEach((info, handler) -> this.endpoints.computeIfAbsent(handler, (key) -> resolve(info, key))));
	}

	@Nullable Endpoint find(HandlerMethod handler) {
		HandlerMethod registered = handler.getResolvedFromHandlerMethod();
		HandlerMethod key = (registered != null) ? registered : handler;
		Optional<Endpoint> known = this.endpoints.get(key);
		return (known != null) ? known.orElse(null) : resolveLate(key).orElse(null);
	}

	/**
	 * All endpoints, those that were registered after the start as well.
	 */
	List<Endpoint> findAll() {
		return this.mappings.stream()
			.flatMap((mapping) -> mapping.getHandlerMethods().values().stream())
			.distinct()
			.map(this::find)
			.filter(Objects::nonNull)
			.toList();
	}

	private Optional<Endpoint> resolveLate(HandlerMethod handler) {
		for (RequestMappingHandlerMapping mapping : this.mappings) {
			for (Map.Entry<RequestMappingInfo, HandlerMethod> entry : mapping.getHandlerMethods().entrySet()) {
				if (entry.getValue().equals(handler)) {
					return this.endpoints.computeIfAbsent(handler, (key) -> resolve(entry.getKey(), key));
				}
			}
		}
		// Of another kind of mapping, such as the actuator's: not to be looked for again.
		return this.endpoints.computeIfAbsent(handler, (key) -> Optional.empty());
	}

	private Optional<Endpoint> resolve(RequestMappingInfo info, HandlerMethod handler) {
		Idempotent annotation = IdempotentAnnotations.find(handler.getMethod(), handler.getBeanType());
		Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
		if (annotation == null || (!methods.isEmpty() && SAFE.containsAll(methods))) {
			return Optional.empty();
		}
		String where = handler.getShortLogMessage();
		requireAdvised(handler, where);
		AdvisorOrder.requireClaimFirst(handler.createWithResolvedBean().getBean(), handler.getMethod(), where);
		IdempotentOperation operation = this.operations.create(name(info), annotation, where);
		if (PhaseRules.isPhased(handler)) {
			PhaseRules.require(handler, annotation, operation, where);
			operation = operation.withMode(Mode.LEASED);
		}
		this.returnTypes.requireReplayable(handler, operation, where);
		KeyExpression expression = (operation.key() != null) ? new KeyExpression(operation.key(), where) : null;
		Commits commits = commits(handler, operation);
		boolean streaming = ReturnTypes.isStreaming(handler);
		return Optional.of(new Endpoint(info, operation, expression, commits, isRepeatable(handler, operation, commits),
				streaming));
	}

	/**
	 * Nobody waits for the completer's requests, so that there is nothing that could be
	 * answered asynchronously.
	 */
	private boolean isRepeatable(HandlerMethod handler, IdempotentOperation operation, Commits commits) {
		return commits == Commits.IN_PHASES || (operation.mode() == Mode.LEASED && this.onExpiry == LeaseExpiry.COMPLETE
				&& !ReturnTypes.isAsynchronous(handler) && !ReturnTypes.isStreaming(handler));
	}

	/**
	 * A LEASED handler that is {@code @Transactional} itself commits once, answer
	 * included. One that answers asynchronously does its work elsewhere.
	 */
	private static Commits commits(HandlerMethod handler, IdempotentOperation operation) {
		if (PhaseRules.isPhased(handler)) {
			return Commits.IN_PHASES;
		}
		boolean once = operation.mode() == Mode.TRANSACTIONAL
				|| (!ReturnTypes.isAsynchronous(handler) && PhaseRules.isTransactional(handler));
		return once ? Commits.ONCE : Commits.FREELY;
	}

	/**
	 * A controller without the aspect would run unprotected.
	 */
	private static void requireAdvised(HandlerMethod handler, String where) {
		Object bean = handler.createWithResolvedBean().getBean();
		int modifiers = handler.getMethod().getModifiers();
		if (!Modifier.isFinal(modifiers) && !Modifier.isPrivate(modifiers) && isAdvised(bean)) {
			return;
		}
		throw new InvalidIdempotentException(
				"@Idempotent on " + where + " has no effect: " + ClassUtils.getUserClass(bean).getName()
						+ " or the method is not proxied.",
				"Make the class and the method neither final nor private, and let Spring create the bean.");
	}

	/**
	 * The advisor of a scoped bean is on the target, which does not exist yet.
	 */
	private static boolean isAdvised(Object bean) {
		return bean instanceof ScopedObject || (bean instanceof Advised advised && Stream.of(advised.getAdvisors())
			.anyMatch((advisor) -> advisor.getAdvice() instanceof IdempotentMethodInterceptor));
	}

	/**
	 * The mapping is part of the API, so the name survives a renamed class: retries over
	 * a deployment find their records.
	 */
	private static String name(RequestMappingInfo info) {
		String methods = info.getMethodsCondition()
			.getMethods()
			.stream()
			.map(Enum::name)
			.sorted()
			.collect(Collectors.joining("|"));
		String paths = String.join("|", new TreeSet<>(info.getPatternValues()));
		StringBuilder name = new StringBuilder(methods.isEmpty() ? "ANY" : methods).append(' ').append(paths);
		for (Object condition : List.of(info.getParamsCondition(), info.getHeadersCondition(),
				info.getConsumesCondition(), info.getProducesCondition(), info.getVersionCondition())) {
			if (!condition.toString().equals("[]") && !condition.toString().isEmpty()) {
				name.append(' ').append(condition);
			}
		}
		return name.toString();
	}

	static boolean isMapped(Method method) {
		return AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class);
	}

}
