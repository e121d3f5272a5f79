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

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.asm.ClassReader;
import org.springframework.asm.Type;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.idempotency.aop.OwnCalls.Call;
import dev.idempotency.aop.OwnCalls.Target;
import dev.idempotency.logging.LogEvent;

/**
 * Calls of an annotated method by another method of its own class: on {@code this} they
 * do not pass the proxy, so that nothing protects them. They are found in the class file.
 * Where there is none, as in a native image, nothing is found; nor in a class that knows
 * another object of its own type, which may be the proxy.
 */
public final class SelfInvocations {

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
	 * Finds the calls that no protection is around. A private method is protected where
	 * all its callers are.
	 */
	static Set<Call> unprotected(AnnotatedType type) {
		Set<Target> operations = type.operations()
			.stream()
			.map((method) -> new Target(method.getName(), Type.getMethodDescriptor(method)))
			.collect(Collectors.toSet());
		Set<Call> calls = new LinkedHashSet<>();
		if (knowsAnother(type.type())) {
			return calls;
		}
		Set<Target> hidden = new HashSet<>();
		classes(type).forEach((declaring) -> read(declaring, calls, hidden));
		Set<Target> exposed = calls.stream()
			.map(Call::caller)
			.filter((caller) -> !hidden.contains(caller) && !operations.contains(caller))
			.collect(Collectors.toCollection(HashSet::new));
		for (boolean grown = true; grown;) {
			grown = exposed.addAll(calls.stream()
				.filter((call) -> exposed.contains(call.caller()) && hidden.contains(call.callee()))
				.map(Call::callee)
				.toList());
		}
		return calls.stream()
			.filter((call) -> operations.contains(call.callee()) && exposed.contains(call.caller()))
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/**
	 * Returns whether a field or a parameter has the type, or a provider of it.
	 */
	private static boolean knowsAnother(Class<?> type) {
		Stream<ResolvableType> fields = Arrays.stream(type.getDeclaredFields()).map(ResolvableType::forField);
		Stream<ResolvableType> parameters = Stream
			.<Executable>concat(Arrays.stream(type.getDeclaredConstructors()), Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> !method.isSynthetic())
			.flatMap((method) -> Arrays.stream(method.getGenericParameterTypes()))
			.map(ResolvableType::forType);
		return Stream.concat(fields, parameters)
			.flatMap((known) -> Stream.concat(Stream.of(known), Arrays.stream(known.getGenerics())))
			.anyMatch((known) -> known.toClass() != Object.class && known.toClass().isAssignableFrom(type));
	}

	private static Stream<Class<?>> classes(AnnotatedType type) {
		return Stream
			.concat(Stream.<Class<?>>of(type.type()), type.operations().stream().map(Method::getDeclaringClass))
			.filter((declaring) -> !declaring.isInterface())
			.distinct();
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
