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
package dev.idempotency.engine.identity;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The key for calls of other systems within one logical operation of the current thread:
 * a step in phases, or an operation that the application has declared.
 * <p>
 * At each system it identifies one request. A second, different request is refused here:
 * the system would refuse it, or, if the order of the two changes between attempts,
 * execute one of them twice.
 */
public final class OutgoingKey {

	private static final ThreadLocal<@Nullable OutgoingKey> CURRENT = new ThreadLocal<>();

	private final @Nullable OutgoingKey whole;

	private final Map<String, String> requests = new HashMap<>();

	private final Set<String> unanswered = new HashSet<>();

	/**
	 * The key, or the name of the part; {@code null} until the key is needed.
	 */
	private @Nullable String value;

	private OutgoingKey(@Nullable OutgoingKey whole, @Nullable String value) {
		this.whole = whole;
		this.value = value;
	}

	/**
	 * Returns a given key.
	 * @param key the key
	 * @return a key for one operation
	 */
	public static OutgoingKey of(String key) {
		return new OutgoingKey(null, key);
	}

	/**
	 * Returns a key that is generated when it is first needed.
	 * @return a key for one operation
	 */
	public static OutgoingKey unmade() {
		return new OutgoingKey(null, null);
	}

	/**
	 * Returns a key for a part of the operation. It depends only on the key of the
	 * operation and the name of the part, not on the order of the parts.
	 * @param name the part's name
	 * @return a key for the part
	 */
	public OutgoingKey part(String name) {
		return new OutgoingKey(this, name);
	}

	/**
	 * Returns the key of the current thread.
	 * @return the key, or {@code null} if there is none
	 */
	public static @Nullable OutgoingKey current() {
		return CURRENT.get();
	}

	/**
	 * Returns the value of the key for a request.
	 * @param system the called system
	 * @param request a text that identifies the request
	 * @param generator generates the key if there is none yet
	 * @return the value
	 * @throws IllegalStateException if the system has received another request with this
	 * key
	 */
	public synchronized String take(String system, String request, Supplier<String> generator) {
		String earlier = this.requests.putIfAbsent(system, request);
		if (earlier != null && !earlier.equals(request)) {
			throw new IllegalStateException(
					"'" + withoutQuery(request) + "' and '" + withoutQuery(earlier) + "' at " + system
							+ " are two requests in one operation, whose key identifies only one. Make each a separate "
							+ "operation or step, or name the parts with IdempotencyKeys.part(name, work)");
		}
		return value(generator);
	}

	/**
	 * Records that an attempt at a system ended without a response from it. The system
	 * may still be processing the request.
	 * @param system the called system
	 */
	public synchronized void unanswered(String system) {
		this.unanswered.add(system);
	}

	/**
	 * Returns whether an attempt at a system ended without a response from it.
	 * @param system the called system
	 * @return whether an earlier attempt may still be in progress there
	 */
	public synchronized boolean isUnanswered(String system) {
		return this.unanswered.contains(system);
	}

	/**
	 * Derives the key for one of several systems. It depends only on the key of the
	 * operation and the system, and does not reveal the former.
	 * @param key the operation's key
	 * @param system the system
	 * @return a UUID (RFC 9562 section 5.8)
	 */
	public static String derived(String key, String system) {
		return IdentityFactory.derivedKey("target", key, system);
	}

	/**
	 * Cuts off the query, which may contain data that must not be logged.
	 */
	private static String withoutQuery(String request) {
		int query = request.indexOf('?');
		return (query >= 0) ? request.substring(0, query + 1) + "…" : request;
	}

	private synchronized String value(Supplier<String> generator) {
		if (this.whole != null) {
			return IdentityFactory.derivedKey("part", this.whole.value(generator), String.valueOf(this.value));
		}
		String known = this.value;
		if (known == null) {
			known = generator.get();
			this.value = known;
		}
		return known;
	}

	public void run(Runnable work) {
		this.<@Nullable Void>call(() -> {
			work.run();
			return null;
		});
	}

	/**
	 * Runs work with this key on the current thread.
	 * @param work the work, including all its attempts
	 * @param <T> the type of its result
	 * @return the result
	 */
	public <T extends @Nullable Object> T call(Supplier<T> work) {
		OutgoingKey before = CURRENT.get();
		CURRENT.set(this);
		try {
			return work.get();
		}
		finally {
			if (before != null) {
				CURRENT.set(before);
			}
			else {
				CURRENT.remove();
			}
		}
	}

}
