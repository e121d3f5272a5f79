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
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.stereotype.Controller;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMethodMapping;

import dev.idempotency.exception.UnenforcedIdempotentException;

/**
 * Handler mappings whose requests bypass the library, since they use neither the
 * interceptors nor the handler adapter of Spring MVC: the mappings of Spring Data REST,
 * within a bean that delegates to them. Examined when an annotated endpoint is found
 * nowhere else.
 */
final class UnprotectedMappings {

	private UnprotectedMappings() {
	}

	/**
	 * Explains why an annotated endpoint is not protected.
	 * @param all all mappings of the application
	 */
	static UnenforcedIdempotentException unenforced(Stream<HandlerMapping> all, Method method, Class<?> type) {
		List<String> operation = List.of(type.getSimpleName() + "#" + method.getName());
		return all.flatMap(UnprotectedMappings::unwrapped)
			.filter((mapping) -> isHandledBy(mapping, method, type))
			.findFirst()
			.map((mapping) -> new UnenforcedIdempotentException(operation,
					"Its requests come through " + mapping.getClass().getName()
							+ ", which runs handlers without the interceptors and the handler adapter of Spring MVC.",
					"Make the class a @RestController with a separate path, or move the annotation to the service "
							+ "method that it calls: @Idempotent(key = \"#command.id()\")."))
			.orElseGet(() -> AnnotatedElementUtils.hasAnnotation(type, Controller.class)
					? new UnenforcedIdempotentException(operation,
							"Spring MVC sees a proxy of its interfaces instead of the controller.",
							"Remove spring.aop.proxy-target-class=false, or proxyTargetClass = false of an @Enable "
									+ "annotation.")
					: new UnenforcedIdempotentException(operation,
							"No handler mapping of Spring MVC leads requests to it.",
							"Annotate the class with @RestController or @Controller, or remove the annotation."));
	}

	private static Stream<HandlerMapping> unwrapped(HandlerMapping mapping) {
		if (mapping instanceof Iterable<?> delegates) {
			return StreamSupport.stream(delegates.spliterator(), false)
				.filter(HandlerMapping.class::isInstance)
				.map(HandlerMapping.class::cast)
				.flatMap(UnprotectedMappings::unwrapped);
		}
		return Stream.of(mapping);
	}

	private static boolean isHandledBy(HandlerMapping mapping, Method method, Class<?> type) {
		return mapping instanceof AbstractHandlerMethodMapping<?> methods && methods.getHandlerMethods()
			.values()
			.stream()
			.anyMatch((handler) -> EndpointRegistry.isSame(handler, method, type));
	}

}
