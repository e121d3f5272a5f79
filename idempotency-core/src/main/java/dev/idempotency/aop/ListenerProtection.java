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

import java.time.Duration;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The protection of annotated methods that are called for a message, whose key is not
 * among their arguments.
 */
public interface ListenerProtection {

	/**
	 * Invokes a method with the message that the current thread works on.
	 * @param operation the annotated method
	 * @param invocation the invocation
	 * @return the return value of this or the first execution
	 * @throws Throwable the exception of the method, or why it was not invoked
	 */
	@Nullable Object invoke(AnnotatedOperation operation, MethodInvocation invocation) throws Throwable;

	/**
	 * Returns whether the current thread works on a message for a method.
	 * @param operation the annotated method
	 * @return {@code false} if it is called by other code
	 */
	boolean isListening(AnnotatedOperation operation);

	/**
	 * Returns the time that messages are remembered where the annotation gives none.
	 * @return the default time to live
	 */
	Duration ttl();

}
