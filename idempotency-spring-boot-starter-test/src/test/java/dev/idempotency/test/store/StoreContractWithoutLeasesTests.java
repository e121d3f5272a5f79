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
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import dev.idempotency.store.IdempotencyStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract for a store that implements {@link IdempotencyStore} alone.
 */
class StoreContractWithoutLeasesTests {

	@Test
	void aStoreWithoutLeasesPassesTheRulesOfOneTransaction() {
		TestExecutionSummary summary = run(StoreContractTests.Transactional.class, StoreContractTests.Retention.class);
		assertThat(summary.getTestsSucceededCount()).isPositive().isEqualTo(summary.getTestsFoundCount());
	}

	@Test
	void theRulesOfLeasesAreReportedAsAborted() {
		TestExecutionSummary summary = run(Stream.of(StoreContractTests.class.getDeclaredClasses())
			.filter((part) -> LeaseStoreContract.class.isAssignableFrom(part))
			.toArray(Class<?>[]::new));
		assertThat(summary.getTestsAbortedCount()).isPositive().isEqualTo(summary.getTestsFoundCount());
	}

	private static TestExecutionSummary run(Class<?>... parts) {
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(Stream.of(parts)
					.map((part) -> DiscoverySelectors.selectNestedClass(List.of(OfOneTransaction.class), part))
					.toList())
				.build(), listener);
		return listener.getSummary();
	}

	static class OfOneTransaction extends StoreContractTests {

		private static final StoreHarness HARNESS = new InMemoryHarness() {

			@Override
			public IdempotencyStore store() {
				return withoutLeases(super.store());
			}

		};

		@Override
		protected StoreHarness harness() {
			return HARNESS;
		}

		private static IdempotencyStore withoutLeases(IdempotencyStore store) {
			return (IdempotencyStore) Proxy.newProxyInstance(OfOneTransaction.class.getClassLoader(),
					new Class<?>[] { IdempotencyStore.class }, (proxy, method, arguments) -> {
						try {
							return method.invoke(store, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
