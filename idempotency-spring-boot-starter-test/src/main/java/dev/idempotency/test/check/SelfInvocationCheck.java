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
package dev.idempotency.test.check;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.idempotency.aop.AnnotatedType;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Refuses to start an application in which a method calls an annotated method of its own
 * class: on {@code this} such a call bypasses the proxy and is not protected. The calls
 * are found in the class file, and therefore not in a class with a reference to another
 * object of its type, which may be the proxy.
 *
 * @param beanFactory the beans of the application
 */
record SelfInvocationCheck(ConfigurableListableBeanFactory beanFactory) implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(SelfInvocationCheck.class);

	/**
	 * Searches the classes of all beans, without creating any.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		Set<String> found = new LinkedHashSet<>();
		for (String name : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Class<?> bean = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
			// The target of a scope is a bean as well.
			if (bean != null && !ScopedObject.class.isAssignableFrom(bean)) {
				AnnotatedType type = AnnotatedType.of(bean);
				unprotected(type).forEach((call) -> found.add(describe(type.type(), call)));
			}
		}
		if (!found.isEmpty()) {
			throw new InvalidIdempotentException(String.join(" ", found),
					"Move one of the two methods to another bean, or annotate the caller with @Idempotent; "
							+ "idempotency.test.check-self-invocation=false switches this check off.");
		}
	}

	private static String describe(Class<?> type, Call call) {
		String name = type.getSimpleName() + "#";
		return name + call.caller().source() + " calls " + name + call.callee().name()
				+ " on this, past the proxy that protects it: this call is not idempotent.";
	}

	/**
	 * Finds the calls outside any protection. A private method is protected where all its
	 * callers are.
	 */
	static Set<Call> unprotected(AnnotatedType type) {
		Set<Call> calls = new LinkedHashSet<>();
		if (type.operations().isEmpty() || knowsAnother(type.type())) {
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
	 * Returns whether a field or a parameter is of the type, or a provider of it.
	 */
	private static boolean knowsAnother(Class<?> type) {
		Stream<ResolvableType> fields = Stream.of(type.getDeclaredFields()).map(ResolvableType::forField);
		Stream<ResolvableType> parameters = Stream
			.<Executable>concat(Stream.of(type.getDeclaredConstructors()), Stream.of(type.getDeclaredMethods()))
			.filter((method) -> !method.isSynthetic())
			.flatMap((method) -> Stream.of(method.getGenericParameterTypes()))
			.map(ResolvableType::forType);
		return Stream.concat(fields, parameters)
			.flatMap((known) -> Stream.concat(Stream.of(known), Stream.of(known.getGenerics())))
			.map(ResolvableType::toClass)
			.anyMatch((known) -> known != Object.class && known.isAssignableFrom(type));
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

	/**
	 * A method of the class.
	 *
	 * @param name its name
	 * @param descriptor its parameters and result
	 */
	record Target(String name, String descriptor) {

		/**
		 * Returns the name of the method whose source contains the code.
		 */
		String source() {
			String[] parts = this.name.split("\\$");
			return (parts.length > 2 && parts[0].equals("lambda")) ? parts[1] : this.name;
		}

	}

	/**
	 * A call of a method of the class.
	 *
	 * @param caller the method that makes it
	 * @param callee the method that is called
	 */
	record Call(Target caller, Target callee) {
	}

	/**
	 * Reads the calls between the methods of a class, including those in method
	 * references and lambda expressions.
	 */
	private static final class OwnCalls extends ClassVisitor {

		private final Set<Call> calls;

		/**
		 * The private methods, to which the bodies of lambda expressions are compiled.
		 */
		private final Set<Target> hidden;

		private final Set<String> owners = new HashSet<>();

		OwnCalls(Class<?> type, Set<Call> calls, Set<Target> hidden) {
			super(SpringAsmInfo.ASM_VERSION);
			this.calls = calls;
			this.hidden = hidden;
			for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
				this.owners.add(Type.getInternalName(owner));
			}
			ClassUtils.getAllInterfacesForClassAsSet(type)
				.forEach((owner) -> this.owners.add(Type.getInternalName(owner)));
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			if ((access & Opcodes.ACC_BRIDGE) != 0) {
				return null;
			}
			Target caller = new Target(name, descriptor);
			if ((access & (Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC)) != 0) {
				this.hidden.add(caller);
			}
			return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {

				@Override
				public void visitMethodInsn(int opcode, String owner, String name, String descriptor,
						boolean isInterface) {
					add(caller, owner, new Target(name, descriptor));
				}

				@Override
				public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap,
						Object... arguments) {
					for (Object argument : arguments) {
						if (argument instanceof Handle handle) {
							add(caller, handle.getOwner(), new Target(handle.getName(), handle.getDesc()));
						}
					}
				}

			};
		}

		private void add(Target caller, String owner, Target callee) {
			if (this.owners.contains(owner)) {
				this.calls.add(new Call(caller, callee));
			}
		}

	}

}
