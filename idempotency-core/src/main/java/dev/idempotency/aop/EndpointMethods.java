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
package dev.idempotency.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Recognises controller methods by the names of their annotations, for a web application
 * started without its web server, in which nothing dispatches requests to them.
 */
final class EndpointMethods {

	private static final String CONTROLLER = "org.springframework.stereotype.Controller";

	private static final String REQUEST_MAPPING = "org.springframework.web.bind.annotation.RequestMapping";

	private static final String HTTP_EXCHANGE = "org.springframework.web.service.annotation.HttpExchange";

	private EndpointMethods() {
	}

	/**
	 * Returns whether a method is meant to answer requests: it has a
	 * {@code @RequestMapping}, or an {@code @HttpExchange} in the class of a controller.
	 * Elsewhere the latter sends requests.
	 * @param method the method
	 * @param type the class of the bean
	 * @return whether it is an endpoint
	 */
	static boolean contains(Method method, Class<?> type) {
		MergedAnnotations annotations = annotations(method);
		return annotations.isPresent(REQUEST_MAPPING)
				|| (annotations.isPresent(HTTP_EXCHANGE) && annotations(type).isPresent(CONTROLLER));
	}

	static boolean areIn(Class<?> type) {
		return !MethodIntrospector.selectMethods(type, (Method method) -> contains(method, type)).isEmpty();
	}

	/**
	 * Returns whether a method of an HTTP client's interface sends requests to another
	 * system's endpoint.
	 */
	static boolean areSentBy(Class<?> type, Method method) {
		if (!type.isInterface() && !Proxy.isProxyClass(type)) {
			return false;
		}
		MergedAnnotations annotations = annotations(method);
		return annotations.isPresent(REQUEST_MAPPING) || annotations.isPresent(HTTP_EXCHANGE);
	}

	private static MergedAnnotations annotations(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
	}

}
