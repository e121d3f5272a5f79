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
import java.util.stream.Stream;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Recognises controller methods and message listeners by the names of their annotations:
 * the libraries of the annotations are optional, and a web application that is started
 * without its web server has nothing that dispatches requests.
 */
final class ProtocolMethods {

	private static final String CONTROLLER = "org.springframework.stereotype.Controller";

	private static final String REQUEST_MAPPING = "org.springframework.web.bind.annotation.RequestMapping";

	private static final String HTTP_EXCHANGE = "org.springframework.web.service.annotation.HttpExchange";

	private static final String[] LISTENERS = { "org.springframework.kafka.annotation.KafkaListener",
			"org.springframework.amqp.rabbit.annotation.RabbitListener" };

	/**
	 * Annotations on the methods of a class that is a listener itself.
	 */
	private static final String[] HANDLERS = { "org.springframework.kafka.annotation.KafkaHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler" };

	private ProtocolMethods() {
	}

	/**
	 * Returns whether a method answers requests: it has a {@code @RequestMapping}, or an
	 * {@code @HttpExchange} in the class of a controller. Elsewhere the latter sends
	 * requests.
	 */
	static boolean isEndpoint(Method method, Class<?> type) {
		return isAnnotated(method, REQUEST_MAPPING)
				|| (isAnnotated(method, HTTP_EXCHANGE) && isAnnotated(type, CONTROLLER));
	}

	/**
	 * Returns whether a method of an HTTP client's interface sends requests to the
	 * endpoint of another system.
	 */
	static boolean isClient(Method method, Class<?> type) {
		return (type.isInterface() || Proxy.isProxyClass(type)) && isAnnotated(method, REQUEST_MAPPING, HTTP_EXCHANGE);
	}

	static boolean isListener(Method method, Class<?> type) {
		return isAnnotated(method, LISTENERS) || (isAnnotated(method, HANDLERS) && isAnnotated(type, LISTENERS));
	}

	/**
	 * Returns whether a class has endpoints or listeners.
	 */
	static boolean areIn(Class<?> type) {
		return !MethodIntrospector
			.selectMethods(type, (Method method) -> isEndpoint(method, type) || isListener(method, type))
			.isEmpty();
	}

	private static boolean isAnnotated(AnnotatedElement element, String... names) {
		MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
		return Stream.of(names).anyMatch(annotations::isPresent);
	}

}
