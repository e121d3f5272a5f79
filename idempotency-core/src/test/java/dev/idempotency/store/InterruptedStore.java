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
import java.util.function.Consumer;

import dev.idempotency.store.LeaseStore.Interruption;

/**
 * A store of which nothing but the end of an attempt is used.
 */
public final class InterruptedStore {

	private InterruptedStore() {
	}

	/**
	 * Makes a store.
	 * @param interruptions gets how attempts end
	 * @return the store; everything else of it is an error
	 */
	public static LeaseStore of(Consumer<Interruption> interruptions) {
		return (LeaseStore) Proxy.newProxyInstance(InterruptedStore.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					if (!method.getName().equals("interrupt")) {
						throw new UnsupportedOperationException(method.getName());
					}
					interruptions.accept((Interruption) arguments[1]);
					return null;
				});
	}

}
