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
package dev.idempotency.maintenance;

import java.time.Duration;

import dev.idempotency.engine.ResponseCache;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;

/**
 * The operators' views of the stores.
 */
public final class OperatorViews {

	private OperatorViews() {
	}

	/**
	 * Creates the view of requests without a response.
	 * @param unfinished the unfinished requests
	 * @param store stores the responses to abandoned requests
	 * @param codec the format of stored content
	 * @param runners describe commands
	 * @param ttl the time for which an operator's response is kept
	 * @return the view
	 */
	public static UnfinishedRequests requests(UnfinishedStore unfinished, LeaseStore store, ContentCodec codec,
			Iterable<CommandRunner> runners, Duration ttl) {
		return new OperatorRequests(unfinished, store, codec, runners, ttl);
	}

	/**
	 * Creates the purge of an account's records.
	 * @param store the records
	 * @param identities computes the digest of the account
	 * @param cache the cache of responses
	 * @param batchSize the number of records read in one transaction
	 * @return the purge
	 */
	public static AccountPurge purge(OperatorStore store, IdentityFactory identities, ResponseCache cache,
			int batchSize) {
		return new BatchedAccountPurge(store, identities, cache, batchSize);
	}

}
