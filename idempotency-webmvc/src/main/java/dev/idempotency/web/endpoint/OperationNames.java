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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * The names of endpoints, which are part of their requests' fingerprints and, in scope
 * endpoint, identities: stable over restarts and nodes, and never the same for two
 * handlers.
 * <p>
 * The mapping is part of the API, so that a name made of it survives a renamed class:
 * retries over a deployment find their records. Where several handlers have one mapping,
 * distinguished by a custom condition of the application or by several handler mappings,
 * the method is part of the name of each.
 */
final class OperationNames {

	/**
	 * The methods of each name, by mapping.
	 */
	private final Map<String, Map<String, Set<Method>>> handlers = new ConcurrentHashMap<>();

	/**
	 * Registers a handler. All are registered before the first is named.
	 */
	void add(RequestMappingInfo info, HandlerMethod handler) {
		register(mapping(info), handler);
	}

	/**
	 * Names a handler. A handler that is registered after the start does not change the
	 * names of others.
	 * @throws InvalidIdempotentException if a method of the same name and class has the
	 * same mapping: parameter types are not part of a name, since they change
	 */
	String name(RequestMappingInfo info, HandlerMethod handler) {
		String mapping = mapping(info);
		Map<String, Set<Method>> all = register(mapping, handler);
		String method = method(handler);
		if (all.getOrDefault(method, Set.of()).size() > 1) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + method + ": several methods of this name have the mapping " + mapping
							+ ", and the stored responses of one would answer the requests of another.",
					"Rename one of the methods.");
		}
		return (all.size() > 1) ? mapping + " " + method : mapping;
	}

	private Map<String, Set<Method>> register(String mapping, HandlerMethod handler) {
		Map<String, Set<Method>> all = this.handlers.computeIfAbsent(mapping, (name) -> new ConcurrentHashMap<>());
		all.computeIfAbsent(method(handler), (name) -> ConcurrentHashMap.newKeySet()).add(handler.getMethod());
		return all;
	}

	static String mapping(RequestMappingInfo info) {
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

	private static String method(HandlerMethod handler) {
		return ClassUtils.getUserClass(handler.getBeanType()).getName() + "#" + handler.getMethod().getName();
	}

}
