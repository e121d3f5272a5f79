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

import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.RequestBatch.Work;
import dev.idempotency.engine.Rethrow;

/**
 * An annotated method that is not an endpoint.
 *
 * @param settings the resolved settings of its annotation and the properties
 * @param annotation the annotation
 * @param key the expression for the key, {@code null} if the key is not among the
 * arguments
 * @param method the most specific method of the bean's class
 * @param type the class of the bean
 */
public record AnnotatedOperation(IdempotentOperation settings, Idempotent annotation, @Nullable KeyExpression key,
		Method method, Class<?> type) {

	/**
	 * Runs the method, or returns the result of its first execution.
	 * @param operations runs the operation
	 * @param request the request, with its key
	 * @param work proceeds with the invocation
	 * @return the return value of this or the first execution
	 * @throws Throwable the exception of the method, or the reason why it was not invoked
	 */
	public @Nullable Object execute(IdempotencyOperations operations, IdempotencyRequest request, Work work)
			throws Throwable {
		return operations.execute(request, returnType(), () -> run(work));
	}

	private Type returnType() {
		return GenericTypeResolver.resolveType(this.method.getGenericReturnType(), this.type);
	}

	private static @Nullable Object run(Work work) {
		try {
			return work.run();
		}
		catch (Throwable ex) {
			throw Rethrow.unchecked(ex);
		}
	}

}
