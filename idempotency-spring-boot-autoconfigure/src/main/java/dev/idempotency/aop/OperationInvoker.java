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
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.ClassUtils;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.InvalidIdempotentException;
import dev.idempotency.MissingKeyException;
import dev.idempotency.engine.OperationFactory;

/**
 * Invokes annotated methods of beans that are no endpoints: the key is an expression over
 * the arguments, the answer is the return value.
 */
public final class OperationInvoker {

	private record Operation(IdempotentOperation settings, KeyExpression key) {
	}

	private record Target(Method method, Class<?> type) {

		/**
		 * One target for calls through the class, an interface or a bridge: the name of
		 * the operation must not depend on the way.
		 */
		static Target of(Method method, Class<?> type) {
			return new Target(BridgeMethodResolver.getMostSpecificMethod(method, type), type);
		}

		String where() {
			return this.type.getSimpleName() + "#" + this.method.getName();
		}

		Type returnType() {
			return GenericTypeResolver.resolveType(this.method.getGenericReturnType(), this.type);
		}

	}

	private final IdempotencyOperations operations;

	private final OperationFactory factory;

	private final Map<Target, Optional<Operation>> resolved = new ConcurrentHashMap<>();

	public OperationInvoker(IdempotencyOperations operations, OperationFactory factory) {
		this.operations = operations;
		this.factory = factory;
	}

	/**
	 * Resolve an annotated method before it is called.
	 * @param method the method
	 * @param type the class of the bean
	 * @throws InvalidIdempotentException if the annotation makes no sense
	 */
	public void validate(Method method, Class<?> type) {
		this.resolved.computeIfAbsent(Target.of(method, type), this::resolve);
	}

	@Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = invocation.getMethod();
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? ClassUtils.getUserClass(target) : method.getDeclaringClass();
		Target called = Target.of(method, type);
		Operation operation = this.resolved.computeIfAbsent(called, this::resolve).orElse(null);
		if (operation == null) {
			return invocation.proceed();
		}
		String key = operation.key().evaluate(target, called.method(), invocation.getArguments());
		if (key == null || key.isEmpty()) {
			if (operation.settings().required()) {
				throw new MissingKeyException("The key of " + operation.settings().name() + " evaluates to nothing.");
			}
			return invocation.proceed();
		}
		try {
			return this.operations.execute(request(operation.settings(), key, invocation), called.returnType(),
					() -> proceed(invocation));
		}
		catch (CheckedExceptionInWork ex) {
			throw ex.getCause();
		}
	}

	private static IdempotencyRequest request(IdempotentOperation settings, String key, MethodInvocation invocation) {
		return new IdempotencyRequest(settings.name(), key, Arrays.asList(invocation.getArguments()), settings.scope(),
				settings.resource(), settings.ttl(), null);
	}

	private static @Nullable Object proceed(MethodInvocation invocation) {
		try {
			return invocation.proceed();
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new CheckedExceptionInWork(ex);
		}
	}

	/**
	 * Resolve an annotated method.
	 * @return empty for a method that answers requests, and for one that only shares a
	 * class with such
	 */
	private Optional<Operation> resolve(Target target) {
		Idempotent annotation = IdempotentAnnotations.find(target.method(), target.type());
		if (annotation == null || EndpointMethods.contains(target.method()) || (annotation.key().isEmpty()
				&& IdempotentAnnotations.onMethod(target.method()) == null && EndpointMethods.areIn(target.type()))) {
			return Optional.empty();
		}
		IdempotentOperation settings = this.factory.create(name(target), annotation, target.where());
		if (settings.key() == null) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + target.where() + " has no key, and the method is no endpoint.",
					"Say where the key is: @Idempotent(key = \"#command.id()\").");
		}
		OperationRules.require(target.method(), target.type(), annotation, target.where());
		return Optional.of(new Operation(settings, new KeyExpression(settings.key(), target.where())));
	}

	private static String name(Target target) {
		return target.type().getName() + "#" + target.method().getName()
				+ Arrays.stream(target.method().getParameterTypes())
					.map(Class::getSimpleName)
					.collect(Collectors.joining(",", "(", ")"));
	}

	/**
	 * Carries a checked exception through a supplier.
	 */
	private static final class CheckedExceptionInWork extends RuntimeException {

		CheckedExceptionInWork(Throwable cause) {
			super(cause);
		}

		@Override
		public synchronized Throwable getCause() {
			Throwable cause = super.getCause();
			if (cause == null) {
				throw new IllegalStateException("Created with a cause");
			}
			return cause;
		}

	}

}
