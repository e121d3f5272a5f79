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
package dev.idempotency.storecontract;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.OperatorStore.Overview;
import dev.idempotency.store.OperatorStore.Sweep;
import org.jspecify.annotations.Nullable;

/**
 * The contract for a store in which one method does nothing. Run by
 * {@link StoreContractMutationTests} alone.
 */
class MutantStore extends LeaseStoreContractTests {

	/**
	 * The method, {@code null} for none.
	 */
	static @Nullable Method broken;

	private static final Map<Class<?>, Object> ALL_IS_WELL = Map.of(boolean.class, true, int.class, 0,
			ClaimResult.class, new ClaimResult.Acquired(), Instant.class, Instant.EPOCH, List.class, List.of(),
			Optional.class, Optional.empty(), Overview.class, new Overview(0, 0, 0, 0, null), Sweep.class,
			new Sweep(List.of(), null));

	private static final StoreHarness HARNESS = new Harness();

	@Override
	protected StoreHarness harness() {
		return HARNESS;
	}

	private static final class Harness extends InMemoryHarness {

		@Override
		protected <T> T part(Class<T> type, T part) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
					(proxy, method, arguments) -> {
						if (method.equals(broken)) {
							return ALL_IS_WELL.get(method.getReturnType());
						}
						try {
							return method.invoke(part, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					}));
		}

	}

}
