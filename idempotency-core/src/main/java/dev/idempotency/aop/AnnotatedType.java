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
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;

import dev.idempotency.Idempotent;

/**
 * The methods of a bean class to which {@link Idempotent} applies.
 *
 * @param type the class of a bean
 * @param own the methods that carry the annotation, or override or implement a method
 * that does
 * @param inherited the other methods that can be called from outside, if the class
 * carries the annotation
 * @param declared whether the class itself carries the annotation, rather than a
 * superclass
 */
public record AnnotatedType(Class<?> type, Set<Method> own, Set<Method> inherited, boolean declared) {

	/**
	 * Each class is searched once. Classes without such methods, which may outlive the
	 * application, keep nothing of it.
	 */
	private static final ClassValue<Optional<AnnotatedType>> KNOWN = new ClassValue<>() {

		@Override
		protected Optional<AnnotatedType> computeValue(Class<?> type) {
			return Optional.of(find(type)).filter((found) -> !found.isEmpty());
		}

	};

	/**
	 * Finds the annotated methods of a class.
	 * @param type the class of a bean, or of a proxy for it
	 * @return the methods
	 */
	public static AnnotatedType of(Class<?> type) {
		Class<?> user = ClassUtils.getUserClass(type);
		return KNOWN.get(user).orElseGet(() -> none(user));
	}

	private static AnnotatedType find(Class<?> type) {
		if (isOfSpring(type) || !AnnotationUtils.isCandidateClass(type, Idempotent.class)) {
			return none(type);
		}
		try {
			Set<Method> own = MethodIntrospector.selectMethods(type,
					(Method method) -> method.getDeclaringClass() != Object.class && onMethod(method, type) != null);
			return new AnnotatedType(type, own, inherited(type, own),
					MergedAnnotations.from(type).isPresent(Idempotent.class));
		}
		catch (IllegalStateException | TypeNotPresentException | LinkageError ex) {
			// A class of an optional library is missing: no such bean can be created.
			return none(type);
		}
	}

	/**
	 * Finds the annotation that applies to a method: on the method itself, on a method
	 * that it overrides or implements, or on its class.
	 * @param method the method
	 * @param type the class of the bean
	 * @return the annotation, {@code null} if there is none
	 */
	public static @Nullable Idempotent annotation(Method method, Class<?> type) {
		Idempotent own = onMethod(method, type);
		return (own != null) ? own : onType(type);
	}

	/**
	 * Finds the annotation on the method itself.
	 * @param method the method
	 * @return the annotation, {@code null} if there is none
	 */
	public static @Nullable Idempotent onMethod(Method method) {
		return AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
	}

	private static @Nullable Idempotent onMethod(Method method, Class<?> type) {
		// A call through an interface passes the method of the interface.
		return onMethod(BridgeMethodResolver.getMostSpecificMethod(method, type));
	}

	private static @Nullable Idempotent onType(Class<?> type) {
		return AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class);
	}

	/**
	 * Returns whether a class is one of Spring's many, by the rule for
	 * {@code @EventListener}: components in Spring's packages belong to samples.
	 */
	private static boolean isOfSpring(Class<?> type) {
		return type.getName().startsWith("org.springframework.")
				&& !AnnotatedElementUtils.isAnnotated(type, Component.class);
	}

	private static AnnotatedType none(Class<?> type) {
		return new AnnotatedType(type, Set.of(), Set.of(), false);
	}

	private static Set<Method> inherited(Class<?> type, Set<Method> own) {
		if (onType(type) == null) {
			return Set.of();
		}
		Set<Method> others = new LinkedHashSet<>(
				MethodIntrospector.selectMethods(type, (Method method) -> isOperation(method)));
		others.removeAll(own);
		return others;
	}

	private static boolean isOperation(Method method) {
		return method.getDeclaringClass() != Object.class && !method.isSynthetic()
				&& (method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0;
	}

	/**
	 * Returns whether the type has no operation to protect.
	 * @return {@code true} if neither the class nor a method carries the annotation
	 */
	public boolean isEmpty() {
		return this.own.isEmpty() && this.inherited.isEmpty();
	}

	/**
	 * Returns the methods that must be protected in a bean of this class. Methods of an
	 * HTTP client are left out: they send requests.
	 * @return the methods
	 */
	public List<Method> operations() {
		return Stream.concat(this.own.stream(), this.inherited.stream())
			.filter((method) -> !ProtocolMethods.isClient(method, this.type) || hasKey(method))
			.toList();
	}

	/**
	 * Returns whether one of the methods listens to messages, according to its
	 * annotations.
	 * @param method the method
	 * @return whether it is a listener
	 */
	public boolean isListener(Method method) {
		return ProtocolMethods.isListener(method, this.type);
	}

	/**
	 * Returns whether one of the methods answers requests, according to its annotations.
	 * @param method the method
	 * @return whether it is an endpoint
	 */
	public boolean isEndpoint(Method method) {
		return ProtocolMethods.isEndpoint(method, this.type);
	}

	private boolean hasKey(Method method) {
		Idempotent found = annotation(method, this.type);
		return found != null && !found.key().isEmpty();
	}

	/**
	 * Returns the name of one of the methods, for messages.
	 * @param method the method
	 * @return class and method
	 */
	public String name(Method method) {
		return this.type.getSimpleName() + "#" + method.getName();
	}

}
