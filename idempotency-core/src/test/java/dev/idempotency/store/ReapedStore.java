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
package dev.idempotency.store;

import java.lang.reflect.Proxy;
import java.util.function.IntUnaryOperator;

/**
 * A store of which nothing but the deletion is used.
 */
public final class ReapedStore {

	private ReapedStore() {
	}

	/**
	 * Makes a store.
	 * @param deletion gives the number of deleted records for a limit
	 * @return the store; everything else of it is an error
	 */
	public static IdempotencyStore of(IntUnaryOperator deletion) {
		return (IdempotencyStore) Proxy.newProxyInstance(ReapedStore.class.getClassLoader(),
				new Class<?>[] { IdempotencyStore.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "deleteExpired" -> deletion.applyAsInt((int) arguments[0]);
					case "hashCode" -> System.identityHashCode(proxy);
					case "equals" -> proxy == arguments[0];
					case "toString" -> "ReapedStore";
					default -> throw new UnsupportedOperationException(method.getName());
				});
	}

}
