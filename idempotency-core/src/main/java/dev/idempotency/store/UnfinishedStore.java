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
package dev.idempotency.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The requests of one application that have no answer, for the completer and for
 * operators. Each method is a separate transaction. All times are the database's.
 */
public interface UnfinishedStore {

	/**
	 * Claims requests whose lease has expired, that can be repeated and are due, each
	 * with a new fence and one more attempt. Nodes do not wait for each other, and no
	 * request is claimed twice.
	 * @param request the selection
	 * @return the claims
	 */
	List<Recovery> claimDue(RecoveryRequest request);

	/**
	 * Marks requests as stuck that need manual resolution: those with too many attempts,
	 * those with effects that no step records, and those that have not been repeated for
	 * too long.
	 * @param maxAttempts the number of attempts from which on a request is stuck
	 * @param keep the time that an expired claim is left to its sender
	 * @return the names of their operations, one for each request
	 */
	List<String> markStuck(int maxAttempts, Duration keep);

	/**
	 * Looks a request up.
	 * @param identity its identity
	 * @return the request, empty if it is finished or unknown
	 */
	Optional<UnfinishedRecord> find(Identity identity);

	/**
	 * Lists requests, the oldest first, without their commands and the results of their
	 * steps. Reads only those that it lists.
	 * @param filter which
	 * @param after the position after which the list begins
	 * @param limit how many at most
	 * @return the requests, in the order of their times and then of their identities
	 */
	List<UnfinishedRecord> list(Filter filter, Position after, int limit);

	/**
	 * Lists the oldest requests.
	 * @param filter which
	 * @param limit how many at most
	 * @return the requests
	 * @see #list(Filter, Position, int)
	 */
	default List<UnfinishedRecord> list(Filter filter, int limit) {
		return list(filter, Position.START, limit);
	}

	/**
	 * Lets a request be tried again now, as if for the first time, by the completer if it
	 * can repeat it, and by its sender.
	 * @param identity its identity
	 * @return {@code false} if it is finished, unknown, or under a lease
	 */
	boolean retry(Identity identity);

	/**
	 * Claims a request for an operator in any state, unless it is under a lease.
	 * @param identity its identity
	 * @param lease the duration of the claim
	 * @return the claim, empty if it is finished, unknown, or under a lease
	 */
	Optional<UnfinishedRecord> claim(Identity identity, Duration lease);

	/**
	 * A position in the list of requests.
	 *
	 * @param createdAt the time of the first claim of the request at this position
	 * @param identity its identity
	 */
	record Position(Instant createdAt, Identity identity) {

		/**
		 * The position before all requests.
		 */
		public static final Position START = new Position(Instant.EPOCH, new Identity(new byte[32], new byte[0]));

	}

	/**
	 * A selection of listed requests.
	 */
	enum Filter {

		/**
		 * All requests without an answer, including those under a lease.
		 */
		OPEN,

		/**
		 * Requests that need manual resolution.
		 */
		STUCK

	}

}
