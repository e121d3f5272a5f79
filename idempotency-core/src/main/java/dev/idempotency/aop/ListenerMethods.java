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
import java.util.stream.Stream;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Recognises message listeners by the names of their annotations, since their libraries
 * are optional.
 */
final class ListenerMethods {

	private static final String[] LISTENERS = { "org.springframework.kafka.annotation.KafkaListener",
			"org.springframework.amqp.rabbit.annotation.RabbitListener" };

	/**
	 * Annotations on the methods of a class that is a listener itself.
	 */
	private static final String[] HANDLERS = { "org.springframework.kafka.annotation.KafkaHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler" };

	private ListenerMethods() {
	}

	static boolean contains(Method method, Class<?> type) {
		return isAnnotated(method, LISTENERS) || (isAnnotated(method, HANDLERS) && isAnnotated(type, LISTENERS));
	}

	static boolean areIn(Class<?> type) {
		return !MethodIntrospector.selectMethods(type, (Method method) -> contains(method, type)).isEmpty();
	}

	private static boolean isAnnotated(AnnotatedElement element, String... names) {
		MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
		return Stream.of(names).anyMatch(annotations::isPresent);
	}

}
