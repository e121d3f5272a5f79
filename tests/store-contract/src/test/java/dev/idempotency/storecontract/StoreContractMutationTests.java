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

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract finds stores that break it: for each method of the SPI one in which this
 * method does nothing and says that all is well. The tests of concurrency are left out:
 * some of them would wait for such a store.
 */
class StoreContractMutationTests {

	/**
	 * All but those that describe the store: what a probe costs, and what its statements
	 * see. Stores may answer either way.
	 */
	static Stream<Method> methods() {
		return Stream.of(LeaseStore.class, UnfinishedStore.class, OperatorStore.class)
			.flatMap((type) -> Stream.of(type.getMethods()))
			.filter((method) -> !Set.of("probesInOneMessage", "readsCommitted").contains(method.getName()));
	}

	@ParameterizedTest
	@MethodSource("methods")
	void aStoreInWhichAMethodDoesNothingFails(Method method) {
		MutantStore.broken = method;
		assertThat(countFailures()).as(method.getName()).isPositive();
	}

	@Test
	void oneInWhichAllDoWhatTheyOughtToPasses() {
		MutantStore.broken = null;
		assertThat(countFailures()).isZero();
	}

	private static long countFailures() {
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(Stream.of(StoreContractTests.class, LeaseStoreContractTests.class)
					.flatMap((contract) -> Stream.of(contract.getDeclaredClasses()))
					.filter((part) -> part != LeaseStoreContractTests.Concurrent.class)
					.map((part) -> DiscoverySelectors.selectNestedClass(List.of(MutantStore.class), part))
					.toList())
				.build(), listener);
		assertThat(listener.getSummary().getTestsStartedCount()).isGreaterThan(50);
		return listener.getSummary().getTestsFailedCount();
	}

}
