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
package dev.idempotency.web.endpoint;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.http.server.PathContainer;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;

import dev.idempotency.Idempotent;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.aop.AnnotatedType;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.StartupCheck;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * The registry of annotated controller methods. All are resolved and validated at
 * start-up; those registered later are resolved when they are first called.
 */
public final class EndpointRegistry implements StartupCheck {

	private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

	private final ObjectProvider<RequestMappingHandlerMapping> mappings;

	private final ObjectProvider<HandlerMapping> all;

	private final EndpointResolver resolver;

	private final Map<HandlerMethod, Optional<Endpoint>> endpoints = new ConcurrentHashMap<>();

	private final Set<Method> mapped = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a registry.
	 * @param mappings the application's mappings that are protected
	 * @param all all mappings of the application
	 * @param operations creates operations from annotations
	 * @param onExpiry the treatment of a request whose owner let its lease expire
	 * @param completer the completer of the application
	 */
	public EndpointRegistry(ObjectProvider<RequestMappingHandlerMapping> mappings, ObjectProvider<HandlerMapping> all,
			OperationFactory operations, LeaseExpiry onExpiry, Completer completer) {
		this.mappings = mappings;
		this.all = all;
		this.resolver = new EndpointResolver(operations, onExpiry, completer);
	}

	/**
	 * Returns whether a request with this method changes nothing by definition (RFC 9110
	 * section 9.2.1): a key on it has no effect.
	 */
	public static boolean isSafe(String method) {
		return SAFE.contains(method);
	}

	@Override
	public void check() {
		handlers().forEach((entry) -> this.resolver.register(entry.getKey(), entry.getValue()));
		handlers().forEach(this::resolve);
	}

	private Optional<Endpoint> resolve(Map.Entry<RequestMappingInfo, HandlerMethod> entry) {
		return this.endpoints.computeIfAbsent(entry.getValue(), (handler) -> {
			Optional<Endpoint> endpoint = this.resolver.resolve(entry.getKey(), handler);
			endpoint.ifPresent((found) -> this.mapped.add(handler.getMethod()));
			return endpoint;
		});
	}

	private Stream<Map.Entry<RequestMappingInfo, HandlerMethod>> handlers() {
		return this.mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().entrySet().stream());
	}

	public @Nullable Endpoint find(HandlerMethod handler) {
		HandlerMethod registered = handler.getResolvedFromHandlerMethod();
		HandlerMethod key = (registered != null) ? registered : handler;
		Optional<Endpoint> known = this.endpoints.get(key);
		return (known != null) ? known.orElse(null) : resolveLate(key).orElse(null);
	}

	/**
	 * Returns the endpoint of a method of the application, which may be called by another
	 * mapping than the application's.
	 */
	public @Nullable Endpoint find(Method method, Class<?> type) {
		return handlers().filter((entry) -> isSame(entry.getValue(), method, type))
			.findFirst()
			.flatMap(this::resolve)
			.orElse(null);
	}

	/**
	 * Returns whether a form submitted to a path is protected, by a separate key: the
	 * most specific of the mappings there decides, regardless of its method. A form that
	 * is sent as POST may be meant as PUT.
	 */
	public boolean isProtected(PathContainer path) {
		return handlers()
			.flatMap((entry) -> patterns(entry.getKey())
				.filter((pattern) -> !isSafe(entry.getKey()) && pattern.matches(path))
				.map((pattern) -> Map.entry(pattern, entry.getValue())))
			.min(Map.Entry.comparingByKey(PathPattern.SPECIFICITY_COMPARATOR))
			.map((entry) -> find(entry.getValue()))
			.filter((endpoint) -> endpoint.keyExpression() == null)
			.isPresent();
	}

	private static Stream<PathPattern> patterns(RequestMappingInfo info) {
		PathPatternsRequestCondition condition = info.getPathPatternsCondition();
		return (condition != null) ? condition.getPatterns().stream() : Stream.empty();
	}

	private Optional<Endpoint> resolveLate(HandlerMethod handler) {
		// A handler of another kind of mapping, such as the actuator's, is remembered as
		// absent.
		return handlers().filter((entry) -> entry.getValue().equals(handler))
			.findFirst()
			.map(this::resolve)
			.orElseGet(() -> this.endpoints.computeIfAbsent(handler, (key) -> Optional.empty()));
	}

	/**
	 * Returns whether requests lead to an annotated method, even if it does not declare
	 * the mapping itself.
	 */
	public boolean isMapped(Method method) {
		return this.mapped.contains(method);
	}

	/**
	 * Returns whether the requests of an annotated method are protected.
	 */
	public boolean protects(Method method, Class<?> type) {
		List<RequestMappingInfo> found = handlers().filter((entry) -> isSame(entry.getValue(), method, type))
			.map(Map.Entry::getKey)
			.toList();
		if (found.isEmpty()) {
			throw UnprotectedMappings.unenforced(this.all.stream(), method, type);
		}
		boolean safe = found.stream().allMatch(EndpointRegistry::isSafe);
		if (safe && AnnotatedType.onMethod(method) != null) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + type.getSimpleName() + "#" + method.getName() + " has no effect: it handles "
							+ OperationNames.mapping(found.get(0)) + ", and such requests change nothing.",
					"Remove the annotation, or map the method to POST, PUT, PATCH or DELETE.");
		}
		return !safe;
	}

	static boolean isSame(HandlerMethod handler, Method method, Class<?> type) {
		Method candidate = BridgeMethodResolver.findBridgedMethod(handler.getMethod());
		return handler.getBeanType() == type && candidate.getName().equals(method.getName())
				&& Arrays.equals(candidate.getParameterTypes(), method.getParameterTypes());
	}

	/**
	 * The completer of an application.
	 */
	public enum Completer {

		/**
		 * Completes requests.
		 */
		ON,

		/**
		 * Is switched off.
		 */
		OFF,

		/**
		 * Cannot complete anything, since nothing can act for senders.
		 */
		WITHOUT_ACCOUNTS

	}

	static boolean isSafe(RequestMappingInfo info) {
		Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
		return !methods.isEmpty() && methods.stream().map(RequestMethod::name).allMatch(SAFE::contains);
	}

}
