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
package dev.idempotency.web.policy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

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

	private final Map<String, Set<String>> handlers = new ConcurrentHashMap<>();

	/**
	 * Registers a handler. All are registered before the first is named.
	 */
	void add(RequestMappingInfo info, HandlerMethod handler) {
		this.handlers.computeIfAbsent(mapping(info), (name) -> ConcurrentHashMap.newKeySet()).add(method(handler));
	}

	/**
	 * Names a handler. A handler that is registered after the start does not change the
	 * names of others.
	 */
	String name(RequestMappingInfo info, HandlerMethod handler) {
		String mapping = mapping(info);
		String method = method(handler);
		Set<String> all = this.handlers.computeIfAbsent(mapping, (name) -> ConcurrentHashMap.newKeySet());
		all.add(method);
		return (all.size() > 1) ? mapping + " " + method : mapping;
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
