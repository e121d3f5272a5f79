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

package dev.idempotency.store.jdbc;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.LeaseRequest;

/**
 * The open requests of each account, as this node has last counted them. No more requests
 * can have been claimed since a count than numbers were drawn: as long as that many are
 * within the limit, a claim counts nothing. After that a claim counts the requests
 * claimed since, and adds the earlier number. The sum is never too small, but too large
 * if some of those have ended: when it reaches the limit, all requests are counted.
 * <p>
 * An index contains the claims that have ended until vacuum may remove them, which takes
 * long while there is an old snapshot: a count of all requests of an account reads all of
 * these.
 */
final class OpenRequests {

	/** A count of nothing. */
	static final Counted NOTHING = new Counted(0, 0);

	/** Number of claims after which a count takes the place of the one before. */
	private static final long STEP = 256;

	/** Number of claims that may not be visible yet: they are counted again. */
	private static final long OVERLAP = 64;

	private static final int MAX_ACCOUNTS = 10_000;

	private final Map<ByteBuffer, Counted> accounts = new ConcurrentHashMap<>();

	/**
	 * Returns the last count for the account of a request.
	 * @param request the request
	 * @return the count, {@link #NOTHING} if there is none
	 */
	Counted of(LeaseRequest request) {
		return (request.limits().maxOpen() != 0) ? this.accounts.getOrDefault(key(request), NOTHING) : NOTHING;
	}

	private static ByteBuffer key(LeaseRequest request) {
		return ByteBuffer.wrap(request.identity().account());
	}

	/**
	 * Remembers a claim.
	 * @param request the request
	 * @param before the last count when the claim began
	 * @param number the number of the claim
	 * @param open the number of requests beside it, or more; {@code null} if they were
	 * not counted
	 */
	void claimed(LeaseRequest request, Counted before, long number, @Nullable Long open) {
		ByteBuffer key = key(request);
		if (number < before.number) {
			// The database was restored.
			this.accounts.remove(key, before);
		}
		else if (open != null && request.limits().maxOpen() != 0
				&& (open < before.open || number - before.number >= STEP)) {
			put(key, before, new Counted(Math.max(0, number - OVERLAP), open + 1));
		}
	}

	/**
	 * Replaces the last count when the claim began, but no newer one.
	 */
	private void put(ByteBuffer key, Counted before, Counted counted) {
		if (!before.equals(NOTHING)) {
			this.accounts.replace(key, before, counted);
		}
		else {
			if (this.accounts.size() >= MAX_ACCOUNTS) {
				this.accounts.clear();
			}
			this.accounts.putIfAbsent(key, counted);
		}
	}

	/**
	 * A count.
	 *
	 * @param number the number up to which claims were counted
	 * @param open the open ones among them
	 */
	record Counted(long number, long open) {

		/**
		 * Returns the number from which a limit may be reached: each claim since the
		 * count may be an open request of the account.
		 * @param limit the limit, 0 for none
		 */
		long bound(int limit) {
			return (limit != 0) ? this.number + limit - this.open : Long.MAX_VALUE;
		}

	}

}
