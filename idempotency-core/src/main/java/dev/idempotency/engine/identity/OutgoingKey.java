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
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The key under which other systems are asked for one logical operation, for as long as
 * the current thread works on it: a step in phases, or an operation that the application
 * has declared.
 * <p>
 * At each system it stands for one request. A second, different one would be refused
 * there, or worse: which of the two is the first may change from attempt to attempt, and
 * a key that depended on it would make one of them twice. It is therefore refused here.
 */
public final class OutgoingKey {

	private static final ThreadLocal<@Nullable OutgoingKey> CURRENT = new ThreadLocal<>();

	private final @Nullable OutgoingKey whole;

	private final Map<String, String> requests = new HashMap<>();

	/**
	 * The key, or the name of the part; {@code null} until a key is needed.
	 */
	private @Nullable String value;

	private OutgoingKey(@Nullable OutgoingKey whole, @Nullable String value) {
		this.whole = whole;
		this.value = value;
	}

	/**
	 * A given key.
	 * @param key the key
	 * @return a key for one operation
	 */
	public static OutgoingKey of(String key) {
		return new OutgoingKey(null, key);
	}

	/**
	 * A key that is made when it is first needed.
	 * @return a key for one operation
	 */
	public static OutgoingKey unmade() {
		return new OutgoingKey(null, null);
	}

	/**
	 * A key for a part of the operation. It depends on the operation's key and the part's
	 * name alone, not on the order of the parts.
	 * @param name the part's name
	 * @return a key for the part
	 */
	public OutgoingKey part(String name) {
		return new OutgoingKey(this, name);
	}

	/**
	 * The call that the current thread works on.
	 * @return its key, or {@code null} without one
	 */
	public static @Nullable OutgoingKey current() {
		return CURRENT.get();
	}

	/**
	 * The key's value, for one request.
	 * @param system the system that is asked
	 * @param request the request, by which two are distinguished
	 * @param generator makes the key if there is none yet
	 * @return the value
	 * @throws IllegalStateException if the system was asked for something else under this
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
	 * A key for one of the systems that are asked in an operation. It depends only on the
	 * operation's key and the system, and reveals nothing of the former.
	 * @param key the operation's key
	 * @param system the system
	 * @return a UUID (RFC 9562 section 5.8)
	 */
	public static String derived(String key, String system) {
		return IdentityFactory.derivedKey("target", key, system);
	}

	/**
	 * Queries may contain data that must not be logged.
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
	 * Works on the operation.
	 * @param work the work, all attempts of it
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
