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
package dev.idempotency.test.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.Sweep;
import dev.idempotency.store.Overview;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;
import dev.idempotency.test.SettableClock;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * The contract for a store in which one method does nothing. Run by
 * {@link StoreContractMutationTests} alone.
 */
class MutantStore extends StoreContractTests {

	/**
	 * The method, {@code null} for none.
	 */
	static @Nullable Method broken;

	private static final Map<Class<?>, Object> ALL_IS_WELL = Map.of(boolean.class, true, int.class, 0, Attempt.class,
			new Attempt.Acquired(), Instant.class, Instant.EPOCH, List.class, List.of(), Optional.class,
			Optional.empty(), Overview.class, new Overview(0, 0, 0, 0, null), Sweep.class, new Sweep(List.of(), null));

	private static final StoreHarness HARNESS = new Harness();

	@Override
	protected StoreHarness harness() {
		return HARNESS;
	}

	private static final class Harness implements StoreHarness {

		private final SettableClock clock = new SettableClock();

		private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(NAMESPACE, this.clock);

		private final PlatformTransactionManager transactionManager = new InMemoryTransactionManager();

		private static <T> T mutant(Class<T> type, T store) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
					(proxy, method, arguments) -> {
						if (method.equals(broken)) {
							return ALL_IS_WELL.get(method.getReturnType());
						}
						try {
							return method.invoke(store, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					}));
		}

		@Override
		public IdempotencyStore store() {
			return mutant(IdempotencyStore.class, this.store);
		}

		@Override
		public UnfinishedStore unfinished(String namespace) {
			return mutant(UnfinishedStore.class, this.store.unfinished(namespace));
		}

		@Override
		public OperatorStore operators(String namespace) {
			return mutant(OperatorStore.class, this.store.operators(namespace));
		}

		@Override
		public PlatformTransactionManager transactionManager() {
			return this.transactionManager;
		}

		@Override
		public void passTime(Duration time) {
			this.clock.pass(time);
		}

		@Override
		public void clear() {
			this.store.clear();
		}

	}

}
