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

import java.time.Duration;
import java.util.Objects;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.aop.AnnotatedOperation;
import dev.idempotency.aop.OperationProtection;

/**
 * Passes a message from the container to the aspect, on one thread.
 */
public final class CurrentDelivery implements OperationProtection.Listeners {

	private final ThreadLocal<@Nullable Delivery> current = new ThreadLocal<>();

	private final Duration ttl;

	/**
	 * Creates a holder of deliveries.
	 * @param ttl the time that messages are remembered unless the annotation sets it
	 */
	public CurrentDelivery(Duration ttl) {
		this.ttl = ttl;
	}

	@Override
	public Duration ttl() {
		return this.ttl;
	}

	@Override
	public boolean isListening(AnnotatedOperation operation) {
		Delivery delivery = this.current.get();
		return delivery != null && delivery.isFor(operation);
	}

	@Override
	public @Nullable Object invoke(AnnotatedOperation operation, MethodInvocation invocation) throws Throwable {
		return Objects.requireNonNull(this.current.get(), "No message is bound to the thread")
			.invoke(operation, invocation);
	}

	/**
	 * Calls a listener.
	 * @param delivery its delivery
	 * @param listener calls it
	 * @throws E the listener's exception
	 */
	<E extends Exception> void deliver(Delivery delivery, Listener<E> listener) throws E {
		Delivery outer = this.current.get();
		this.current.set(delivery);
		try {
			listener.call();
		}
		finally {
			if (outer != null) {
				this.current.set(outer);
			}
			else {
				this.current.remove();
			}
		}
	}

	/**
	 * Calls a listener.
	 *
	 * @param <E> the type of the listener's exception
	 */
	interface Listener<E extends Exception> {

		void call() throws E;

	}

}
