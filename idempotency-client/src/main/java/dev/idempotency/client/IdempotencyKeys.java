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
package dev.idempotency.client;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.engine.identity.OutgoingKey;

/**
 * Marks one logical operation, so that all its attempts have one key, regardless of the
 * number and level of retries.
 *
 * <pre class="code">
 * Charge charge = IdempotencyKeys.operation(() -&gt; this.payments.charge(fare)); // &#64;Retryable
 * </pre>
 *
 * An operation is bound to the thread. In an application with protected operations it is
 * propagated to the tasks of Spring Boot's executors. Reactive chains use
 * {@link ReactiveIdempotencyKeys}.
 * <p>
 * At each system the key stands for one request. A different request to the same system
 * is refused with an {@link IllegalStateException}: make it a separate operation or
 * {@link #part part}.
 */
public final class IdempotencyKeys {

	private IdempotencyKeys() {
	}

	/**
	 * Executes one operation. Its key is generated for the first request that needs it.
	 * Within another operation, or a foreign step in phases, it belongs to that one,
	 * which may be retried as a whole.
	 * @param work all attempts of the operation
	 * @param <T> the type of its result
	 * @return the result
	 */
	public static <T extends @Nullable Object> T operation(Supplier<T> work) {
		return (OutgoingKey.current() != null) ? work.get() : OutgoingKey.unmade().call(work);
	}

	/**
	 * Executes one operation without a result.
	 * @param work all attempts of the operation
	 * @see #operation(Supplier)
	 */
	public static void operation(Runnable work) {
		operation(supplier(work));
	}

	/**
	 * Executes one operation with a given key, also within another one. The key survives
	 * a crash if it is stored before the first attempt, with the operation's business
	 * data.
	 * @param key 1 to 255 visible ASCII characters, never used for anything else
	 * @param work all attempts of the operation
	 * @param <T> the type of its result
	 * @return the result
	 * @throws IllegalArgumentException if no header can carry the key
	 */
	public static <T extends @Nullable Object> T operation(String key, Supplier<T> work) {
		return OutgoingKey.of(RequestKeys.requireKey(key)).call(work);
	}

	/**
	 * Executes one operation with a given key and without a result.
	 * @param key 1 to 255 visible ASCII characters, never used for anything else
	 * @param work all attempts of the operation
	 * @see #operation(String, Supplier)
	 */
	public static void operation(String key, Runnable work) {
		operation(key, supplier(work));
	}

	/**
	 * Executes a part of the current operation, or of the current foreign step in phases,
	 * that is a separate request. Its key is derived from the operation's and the part's
	 * name: the same on every attempt, whatever the order of the parts.
	 * @param name the part's name, unique within the operation
	 * @param work the part
	 * @param <T> the type of its result
	 * @return the result
	 * @throws IllegalStateException outside an operation
	 */
	public static <T extends @Nullable Object> T part(String name, Supplier<T> work) {
		OutgoingKey whole = OutgoingKey.current();
		if (whole == null) {
			throw new IllegalStateException("The part '" + name + "' is outside an operation: "
					+ "call IdempotencyKeys.operation(work) around all parts");
		}
		return whole.part(name).call(work);
	}

	/**
	 * Executes a part without a result.
	 * @param name the part's name, unique within the operation
	 * @param work the part
	 * @see #part(String, Supplier)
	 */
	public static void part(String name, Runnable work) {
		part(name, supplier(work));
	}

	private static Supplier<@Nullable Void> supplier(Runnable work) {
		return () -> {
			work.run();
			return null;
		};
	}

}
