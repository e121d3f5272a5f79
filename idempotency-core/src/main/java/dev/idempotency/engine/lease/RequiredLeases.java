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
package dev.idempotency.engine.lease;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore;

/**
 * Requires a store with leases for operations that cannot run without them.
 */
public final class RequiredLeases {

	private RequiredLeases() {
	}

	/**
	 * Requires that a store keeps leases.
	 * @param store the store
	 * @param subject the name of the operation that needs leases, for the message
	 * @return the store
	 * @throws InvalidIdempotentException if it is no {@link LeaseStore}
	 */
	public static LeaseStore of(IdempotencyStore store, String subject) {
		if (store instanceof LeaseStore leases) {
			return leases;
		}
		throw missing(subject);
	}

	public static InvalidIdempotentException missing(String subject) {
		return new InvalidIdempotentException(
				subject + " runs under a lease or in phases, and the IdempotencyStore bean of the application does not "
						+ "support leases.",
				"Implement LeaseStore in the store; or run the operation in one transaction, with "
						+ "mode = Mode.TRANSACTIONAL and without Phases.");
	}

}
