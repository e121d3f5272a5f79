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

import org.junit.jupiter.api.Nested;

/**
 * The engine's requirements, as tests that every implementation of the store must pass.
 * Extend this class and provide a harness for the store:
 *
 * <pre>
 * class MyStoreTests extends StoreContractTests {
 *
 *     &#064;Override
 *     protected StoreHarness harness() {
 *         return harness;
 *     }
 *
 * }
 * </pre>
 *
 * The rules are those of {@link dev.idempotency.store.IdempotencyStore}, one nested class
 * for each part of them. {@link LeaseStoreContractTests} adds those of a store that keeps
 * leases. The tests never wait for time to pass, and do not depend on the speed of the
 * store. A call on another thread may wait for a transaction of the test's thread to end,
 * or return immediately, unless the SPI requires one of the two.
 */
public abstract class StoreContractTests {

	/**
	 * Returns the access to the store under test.
	 * @return the harness, the same for all tests of a class
	 */
	protected abstract StoreHarness harness();

	@Nested
	class Transactional extends TransactionalContract {

	}

	@Nested
	class Retention extends RetentionContract {

	}

}
