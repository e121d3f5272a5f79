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

import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;

import dev.idempotency.Idempotent;

/**
 * Finds the annotation of a method: on the method itself, on a method that it overrides
 * or implements, or on its class.
 */
public final class IdempotentAnnotations {

	private IdempotentAnnotations() {
	}

	/**
	 * Finds the annotation that applies to a method.
	 * @param method the method
	 * @param type the class of the bean
	 * @return the annotation, {@code null} if there is none
	 */
	public static @Nullable Idempotent find(Method method, Class<?> type) {
		Idempotent own = onMethod(method, type);
		return (own != null) ? own : onType(type);
	}

	static @Nullable Idempotent onMethod(Method method, Class<?> type) {
		// A call through an interface passes the method of the interface.
		return onMethod(BridgeMethodResolver.getMostSpecificMethod(method, type));
	}

	static @Nullable Idempotent onType(Class<?> type) {
		return AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class);
	}

	/**
	 * Finds the annotation on the method itself.
	 * @param method the method
	 * @return the annotation, {@code null} if there is none
	 */
	public static @Nullable Idempotent onMethod(Method method) {
		return AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
	}

}
