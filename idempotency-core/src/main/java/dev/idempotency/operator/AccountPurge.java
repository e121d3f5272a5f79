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
package dev.idempotency.operator;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;

/**
 * Deletes the stored data of an account, for instance at the request of its owner. Inject
 * a bean of this type.
 * <p>
 * The keys of the account are forgotten: a retry runs again, with all of its effects.
 * Lock the account out first, and purge it when its last request has ended: a request
 * that ends later is stored, and needs another purge.
 * <p>
 * The caller has to check the permission: expose it only to operators. Business rows, the
 * payloads of staged jobs, copies in the local caches of other nodes (for five minutes)
 * and backups are not deleted.
 */
public interface AccountPurge {

	/**
	 * Deletes the stored responses of an account, in batches, each in a separate
	 * transaction. This reads the whole table: an index by account would make every
	 * request more expensive. The log shows the progress.
	 * @param account the account, as the {@link AccountResolver} gave it to its requests
	 * @param unfinished the treatment of its requests that have no response yet
	 * @return the deleted records
	 */
	Result purge(Account account, Unfinished unfinished);

	/**
	 * The treatment of requests without a response.
	 */
	enum Unfinished {

		/**
		 * Deletes nothing if any exist.
		 */
		REFUSE,

		/**
		 * Deletes them, except those that are running, whose owners would still store a
		 * response, and those that have committed effects or begun a step, whose sender
		 * has no response yet: its retry would make these effects twice. Abandon these
		 * with a response, and purge the account again.
		 */
		DELETE

	}

	/**
	 * The result of a purge.
	 *
	 * @param refused whether nothing was deleted because of unfinished requests
	 * @param answers the number of stored responses deleted
	 * @param unfinished the number of requests without a response deleted
	 * @param remaining the number of requests without a response that are left, and have
	 * to be completed or abandoned first
	 */
	record Result(boolean refused, long answers, int unfinished, int remaining) {
	}

}
