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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.account.Account;
import dev.idempotency.engine.ResponseCache;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.operator.AccountPurge;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.Sweep;

/**
 * Deletes an account's records:
 * <ol>
 * <li>Nothing, if there are unfinished requests and these are to be respected.</li>
 * <li>Otherwise the unfinished requests that are not running and have no effects. They
 * are deleted first: a retry in between stores a response, which the next step
 * deletes.</li>
 * <li>The responses, in batches by primary key, each in a short transaction, and their
 * copies in the caches of this node.</li>
 * </ol>
 *
 * @param store the records
 * @param identities computes the digest of the account
 * @param cache the cache of responses
 * @param batchSize the number of records read in one transaction
 */
record BatchedAccountPurge(OperatorStore store, IdentityFactory identities, ResponseCache cache,
		int batchSize) implements AccountPurge {

	private static final Log logger = LogFactory.getLog(BatchedAccountPurge.class);

	@Override
	public Result purge(Account account, Unfinished unfinished) {
		byte[] digest = this.identities.digest(account);
		int open = this.store.countUnfinished(digest);
		if (open > 0 && unfinished == Unfinished.REFUSE) {
			return new Result(true, 0, 0, open);
		}
		int given = (open > 0) ? this.store.deleteUnfinished(digest) : 0;
		WorkProgress progress = new WorkProgress(logger, "The purge of an account", System::nanoTime);
		long answers = 0;
		byte @Nullable [] last = null;
		do {
			Sweep sweep = this.store.deleteFinished(digest, last, this.batchSize);
			sweep.deleted().forEach(this.cache::evict);
			answers += sweep.deleted().size();
			last = sweep.last();
			if (last != null) {
				progress.reached(sweep.part());
			}
		}
		while (last != null);
		// Without the account: a log must not identify a deleted person.
		LogEvent.ACCOUNT_PURGED.log(logger,
				"An account was purged [" + answers + " answers, " + given + " unfinished requests]");
		return new Result(false, answers, given, this.store.countUnfinished(digest));
	}

}
