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
package dev.idempotency.autoconfigure.guard;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.asm.ClassReader;
import org.springframework.asm.Type;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.idempotency.aop.AnnotatedTypes.AnnotatedType;
import dev.idempotency.autoconfigure.guard.OwnCalls.Call;
import dev.idempotency.autoconfigure.guard.OwnCalls.Target;
import dev.idempotency.logging.LogEvent;

/**
 * Calls of an annotated method by another method of its own class: on {@code this} they
 * bypass the proxy and are not protected. They are found in the class file, and therefore
 * not in a native image; nor in a class with a reference to another object of its type,
 * which may be the proxy.
 */
final class SelfInvocations {

	private static final Log logger = LogFactory.getLog(SelfInvocations.class);

	private final Set<Class<?>> known = new HashSet<>();

	/**
	 * Logs each call of an annotated method by an unprotected one, for each class once.
	 * @param type the annotated methods of the class of a bean
	 */
	public void report(AnnotatedType type) {
		if (this.known.add(type.type())) {
			for (Call call : unprotected(type)) {
				String name = type.type().getSimpleName() + "#";
				LogEvent.SELF_INVOCATION.log(logger, name + call.caller().source() + " calls " + name
						+ call.callee().name() + " on this, past the proxy that protects it: what it does is not "
						+ "idempotent when it is called from there. Move one of the two methods to another bean, or "
						+ "annotate the caller with @Idempotent");
			}
		}
	}

	/**
	 * Finds the calls outside any protection. A private method is protected where all its
	 * callers are.
	 */
	static Set<Call> unprotected(AnnotatedType type) {
		Set<Call> calls = new LinkedHashSet<>();
		if (knowsAnother(type.type())) {
			return calls;
		}
		Set<Target> operations = new HashSet<>();
		Set<Class<?>> classes = new LinkedHashSet<>(Set.of(type.type()));
		for (Method method : type.operations()) {
			operations.add(new Target(method.getName(), Type.getMethodDescriptor(method)));
			classes.add(method.getDeclaringClass());
		}
		Set<Target> hidden = new HashSet<>();
		for (Class<?> declaring : classes) {
			if (!declaring.isInterface()) {
				read(declaring, calls, hidden);
			}
		}
		Set<Target> exposed = exposed(calls, operations, hidden);
		calls.removeIf((call) -> !operations.contains(call.callee()) || !exposed.contains(call.caller()));
		return calls;
	}

	private static Set<Target> exposed(Set<Call> calls, Set<Target> operations, Set<Target> hidden) {
		Set<Target> exposed = new HashSet<>();
		for (Call call : calls) {
			if (!hidden.contains(call.caller()) && !operations.contains(call.caller())) {
				exposed.add(call.caller());
			}
		}
		for (boolean grown = true; grown;) {
			grown = false;
			for (Call call : calls) {
				if (exposed.contains(call.caller()) && hidden.contains(call.callee())) {
					grown |= exposed.add(call.callee());
				}
			}
		}
		return exposed;
	}

	/**
	 * Returns whether a field or a parameter has the type, or a provider of it.
	 */
	private static boolean knowsAnother(Class<?> type) {
		for (Field field : type.getDeclaredFields()) {
			if (leadsTo(type, ResolvableType.forField(field))) {
				return true;
			}
		}
		return takesAnother(type, type.getDeclaredConstructors()) || takesAnother(type, type.getDeclaredMethods());
	}

	private static boolean takesAnother(Class<?> type, Executable[] methods) {
		for (Executable method : methods) {
			if (!method.isSynthetic()) {
				for (java.lang.reflect.Type parameter : method.getGenericParameterTypes()) {
					if (leadsTo(type, ResolvableType.forType(parameter))) {
						return true;
					}
				}
			}
		}
		return false;
	}

	private static boolean leadsTo(Class<?> type, ResolvableType known) {
		if (isOf(type, known)) {
			return true;
		}
		for (ResolvableType generic : known.getGenerics()) {
			if (isOf(type, generic)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isOf(Class<?> type, ResolvableType known) {
		return known.toClass() != Object.class && known.toClass().isAssignableFrom(type);
	}

	private static void read(Class<?> type, Set<Call> calls, Set<Target> hidden) {
		try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (file != null) {
				new ClassReader(file).accept(new OwnCalls(type, calls, hidden),
						ClassReader.SKIP_DEBUG | ClassReader.EXPAND_FRAMES);
			}
		}
		catch (IOException | RuntimeException ex) {
			// The class file is newer than its reader, for instance.
			logger.debug("The class file of " + type.getName() + " cannot be read", ex);
		}
	}

}
