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
 * The engine's requirements of a store that keeps leases: in addition to those of
 * {@link StoreContractTests}, the rules of {@link dev.idempotency.store.LeaseStore},
 * {@link dev.idempotency.store.UnfinishedStore} and
 * {@link dev.idempotency.store.OperatorStore}.
 */
public abstract class LeaseStoreContractTests extends StoreContractTests {

	@Nested
	class Leased extends LeasedContract {

	}

	@Nested
	class Limited extends LimitedContract {

	}

	@Nested
	class Fenced extends FencedContract {

	}

	@Nested
	class Phased extends PhasedContract {

	}

	@Nested
	class Completed extends CompletedContract {

	}

	@Nested
	class Stuck extends StuckContract {

	}

	@Nested
	class Operated extends OperatedContract {

	}

	@Nested
	class Concurrent extends ConcurrentContract {

	}

}
