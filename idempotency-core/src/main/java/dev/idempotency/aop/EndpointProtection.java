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

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The protection of annotated methods that answer requests: their keys and responses come
 * from the protocol, not from arguments and return values.
 */
public interface EndpointProtection {

	/**
	 * Returns whether a method answers requests, by default according to its annotations.
	 * @param method the annotated method
	 * @param type the class of the bean
	 * @return whether it is an endpoint
	 */
	default boolean isEndpoint(Method method, Class<?> type) {
		return ProtocolMethods.isEndpoint(method, type);
	}

	/**
	 * Returns whether the requests to a method are protected.
	 * @param method an endpoint that carries the annotation, or whose class does
	 * @param type the class of the bean
	 * @return {@code false} if it only shares a class with protected methods, and answers
	 * only requests that change nothing
	 * @throws dev.idempotency.exception.InvalidIdempotentException if the annotation
	 * makes no sense
	 * @throws dev.idempotency.exception.UnenforcedIdempotentException if its requests
	 * bypass the library
	 */
	boolean protects(Method method, Class<?> type);

	/**
	 * Claims the request bound to the thread and proceeds, if there is one for this
	 * method; otherwise just proceeds.
	 * @param invocation the invocation of an endpoint
	 * @return the return value of the method
	 * @throws Throwable the exception of the method, or the reason why it was not invoked
	 */
	@Nullable Object invoke(MethodInvocation invocation) throws Throwable;

}
