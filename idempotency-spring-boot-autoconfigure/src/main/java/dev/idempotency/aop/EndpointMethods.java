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

import java.lang.reflect.Method;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Tells controller methods by the name of their annotation: they are there, and nobody
 * sends them requests, when a web application is started without its web server.
 */
final class EndpointMethods {

	private static final String REQUEST_MAPPING = "org.springframework.web.bind.annotation.RequestMapping";

	private EndpointMethods() {
	}

	static boolean contains(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(REQUEST_MAPPING);
	}

	static boolean areIn(Class<?> type) {
		return !MethodIntrospector.selectMethods(type, EndpointMethods::contains).isEmpty();
	}

}
