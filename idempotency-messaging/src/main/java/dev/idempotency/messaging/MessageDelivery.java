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

import java.util.function.IntPredicate;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.aop.AnnotatedOperation;

/**
 * The delivery of one message. It is executed like a call of any bean. The container
 * receives the return value for a duplicate as well: a reply that may not have been sent
 * is sent again.
 */
final class MessageDelivery implements Delivery {

	private enum State {

		NEW, RUNNING, SKIPPED, DONE

	}

	private final IdempotencyOperations operations;

	private final MessageRequests requests;

	private final Class<?> type;

	private final IncomingMessage message;

	private final String scope;

	private final @Nullable IntPredicate refused;

	private State state = State.NEW;

	/**
	 * Creates the delivery of a message.
	 * @param operations executes the listener method
	 * @param requests creates its request
	 * @param type the class of the listener
	 * @param message the message
	 * @param scope the scope of its key
	 * @param refused whether the listener has rejected it, {@code null} if the container
	 * acknowledges automatically: its listeners cannot reject a message
	 */
	MessageDelivery(IdempotencyOperations operations, MessageRequests requests, Class<?> type, IncomingMessage message,
			String scope, @Nullable IntPredicate refused) {
		this.operations = operations;
		this.requests = requests;
		this.type = type;
		this.message = message;
		this.scope = scope;
		this.refused = refused;
	}

	/**
	 * Returns whether it was processed before, so that the container's listener has to
	 * acknowledge it.
	 */
	boolean isSkipped() {
		return this.state == State.SKIPPED;
	}

	/**
	 * Returns whether no annotated method was called for it.
	 */
	boolean isUntouched() {
		return this.state == State.NEW;
	}

	@Override
	public boolean isFor(AnnotatedOperation operation) {
		return operation.type() == this.type && this.state != State.RUNNING;
	}

	@Override
	public @Nullable Object invoke(AnnotatedOperation operation, MethodInvocation invocation) throws Throwable {
		IdempotencyRequest request = this.requests.create(operation, this.message, this.scope, invocation);
		if (request == null) {
			return invocation.proceed();
		}
		this.state = State.SKIPPED;
		try {
			return operation.execute(this.operations, request, () -> run(invocation));
		}
		catch (RefusedException ex) {
			return null;
		}
		finally {
			if (this.state == State.RUNNING) {
				this.state = State.DONE;
			}
		}
	}

	private @Nullable Object run(MethodInvocation invocation) throws Throwable {
		this.state = State.RUNNING;
		Object value = invocation.proceed();
		if (this.refused != null && this.refused.test(0)) {
			throw new RefusedException();
		}
		return value;
	}

	/**
	 * The listener has rejected the message: its effects are rolled back.
	 */
	private static final class RefusedException extends RuntimeException {

		RefusedException() {
			super("The listener rejected the message");
		}

	}

}
