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
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import dev.idempotency.engine.identity.OutgoingKey;

/**
 * Marks one logical operation in a reactive chain: everything upstream, with its retries,
 * on any thread.
 *
 * <pre class="code">
 * client.post().uri("/charges").retrieve().bodyToMono(Charge.class)
 *     .retryWhen(Retry.backoff(3, Duration.ofSeconds(1)))
 *     .transform(ReactiveIdempotencyKeys::operation);
 * </pre>
 *
 * @see IdempotencyKeys
 */
public final class ReactiveIdempotencyKeys {

	private ReactiveIdempotencyKeys() {
	}

	/**
	 * Makes a chain one operation. Each downstream subscription is a separate one, unless
	 * it is within another operation.
	 * @param work all attempts of the operation
	 * @param <T> the type of its result
	 * @return the operation
	 */
	public static <T> Mono<T> operation(Mono<T> work) {
		return Mono.deferContextual((context) -> {
			OutgoingKey outer = current(context);
			return withKey(work, () -> (outer != null) ? outer : OutgoingKey.unmade());
		});
	}

	/**
	 * Makes a chain one operation with a given key.
	 * @param key 1 to 255 visible ASCII characters, never used for anything else
	 * @param work all attempts of the operation
	 * @param <T> the type of its result
	 * @return the operation
	 * @throws IllegalArgumentException if no header can carry the key
	 */
	public static <T> Mono<T> operation(String key, Mono<T> work) {
		String valid = RequestKeys.requireKey(key);
		return Mono.defer(() -> withKey(work, () -> OutgoingKey.of(valid)));
	}

	/**
	 * Makes a chain a part of its surrounding operation.
	 * @param name the part's name, unique within the operation
	 * @param work the part
	 * @param <T> the type of its result
	 * @return the part, which fails with an {@link IllegalStateException} outside an
	 * operation
	 * @see IdempotencyKeys#part(String, Supplier)
	 */
	public static <T> Mono<T> part(String name, Mono<T> work) {
		return Mono.deferContextual((context) -> {
			OutgoingKey whole = current(context);
			return (whole != null) ? withKey(work, () -> whole.part(name))
					: Mono.error(new IllegalStateException("The part '" + name + "' is outside an operation: "
							+ "call ReactiveIdempotencyKeys.operation(work) around all parts"));
		});
	}

	private static <T> Mono<T> withKey(Mono<T> work, Supplier<OutgoingKey> key) {
		return work.contextWrite((context) -> context.put(OutgoingKey.class, key.get()));
	}

	/**
	 * Returns the key bound to the chain, or else to the subscribing thread.
	 */
	static @Nullable OutgoingKey current(ContextView context) {
		OutgoingKey key = context.getOrDefault(OutgoingKey.class, null);
		return (key != null) ? key : OutgoingKey.current();
	}

}
