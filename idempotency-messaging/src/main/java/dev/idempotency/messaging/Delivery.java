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
package dev.idempotency.messaging;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.aop.AnnotatedOperation;

/**
 * A delivery that the current thread is processing.
 */
interface Delivery {

	/**
	 * Returns whether this is a delivery for a method that is not running yet.
	 */
	boolean isFor(AnnotatedOperation operation);

	/**
	 * Runs the method, unless the message was processed before.
	 */
	@Nullable Object invoke(AnnotatedOperation operation, MethodInvocation invocation) throws Throwable;

}
