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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Lease.Progress;

/**
 * The requests of one application that have no response, for the completer and for
 * operators. Each method is a separate transaction. All times are by the database's
 * clock.
 */
public interface UnfinishedStore {

	/**
	 * Claims due requests whose lease has expired, that can be repeated and that are not
	 * left to their senders. Each claim has a new fence and counts an attempt. Nodes do
	 * not wait for each other, and no request is claimed twice.
	 * @param request the selection
	 * @return the claims
	 */
	List<Recovery> claimDue(RecoveryRequest request);

	/**
	 * Marks requests that need manual resolution as stuck: those with too many attempts,
	 * with effects that no step records, or without a new attempt for too long.
	 * @param maxAttempts the number of attempts from which on a request is stuck
	 * @param keep the time for which an expired claim is left to its sender
	 * @return the names of their operations, one for each request
	 */
	List<String> markStuck(int maxAttempts, Duration keep);

	/**
	 * Ends what is kept of stuck requests for a limited time. The requests themselves
	 * stay.
	 * @param keep the time since it is stuck after which the sender of a request no
	 * longer resumes it
	 * @param keepCommand the time since it is stuck after which the command of a request
	 * is erased
	 */
	void retireStuck(Duration keep, Duration keepCommand);

	/**
	 * Looks a request up.
	 * @param identity its identity
	 * @return the request, empty if it is finished or unknown
	 */
	Optional<UnfinishedRecord> find(Identity identity);

	/**
	 * Lists requests, the oldest first, without their commands and the results of their
	 * steps. Reads only the listed requests.
	 * @param filter the selection of requests
	 * @param after the position after which the list begins
	 * @param limit the maximum number
	 * @return the requests, in the order of their times and then of their identities
	 */
	List<UnfinishedRecord> list(Filter filter, Position after, int limit);

	/**
	 * Lists the oldest requests.
	 * @param filter the selection of requests
	 * @param limit the maximum number
	 * @return the requests
	 * @see #list(Filter, Position, int)
	 */
	default List<UnfinishedRecord> list(Filter filter, int limit) {
		return list(filter, Position.START, limit);
	}

	/**
	 * Makes a request due for the completer and its sender, as if for the first time. Its
	 * claim gets a new fence, so that a former owner cannot change it after the
	 * operator's decision.
	 * @param seen the request as shown to the operator
	 * @return {@code false} if it is finished, unknown or under a lease, or if its fence
	 * or its mark of effects differs from {@code seen}
	 */
	boolean retry(UnfinishedRecord seen);

	/**
	 * Claims a request for an operator in any state, unless it is under a lease.
	 * @param seen the request as shown to the operator
	 * @param lease the duration of the claim
	 * @return the claim, empty if the request is finished, unknown or under a lease, or
	 * if its fence or its mark of effects differs from {@code seen}
	 */
	Optional<UnfinishedRecord> claim(UnfinishedRecord seen, Duration lease);

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
		 * All requests without a response, including those under a lease.
		 */
		OPEN,

		/**
		 * Requests that need manual resolution.
		 */
		STUCK

	}

	/**
	 * A request without a response, as operators see it.
	 *
	 * @param lease the last claim
	 * @param operation the operation's name
	 * @param fingerprint the fingerprint of the request
	 * @param createdAt the time of its first claim
	 * @param leaseUntil the end of the last claim
	 * @param running whether this end is in the future
	 * @param effects whether it has committed effects that no step records
	 * @param progress its progress
	 * @param command the encoded request, {@code null} if it is not stored
	 * @param retryAt the time of the completer's next attempt, {@code null} if not set
	 * @param stuckAt the time since which it needs manual resolution, {@code null} if it
	 * does not
	 * @param lastError the names of the exceptions of the last attempt
	 * @param node the node that has claimed it last
	 */
	record UnfinishedRecord(Lease lease, String operation, byte[] fingerprint, Instant createdAt, Instant leaseUntil,
			boolean running, boolean effects, Progress progress, byte @Nullable [] command, @Nullable Instant retryAt,
			@Nullable Instant stuckAt, @Nullable String lastError, String node) {

		/**
		 * Returns this request, claimed in order to be completed.
		 * @return the claim for the completer
		 */
		public Recovery toRecovery() {
			return new Recovery(this.lease, this.operation, this.fingerprint,
					Objects.requireNonNull(this.command, "A request without a command was claimed"), this.progress);
		}

	}

	/**
	 * A selection of the unfinished requests that are claimed in order to be completed.
	 *
	 * @param limit the maximum number
	 * @param lease the duration of the claims
	 * @param after the time after the end of its lease for which a request is left to its
	 * sender
	 * @param maxAttempts the number of attempts from which on a request is not claimed
	 * @param backoff the pauses before a request that fails again is due
	 */
	record RecoveryRequest(int limit, Duration lease, Duration after, int maxAttempts, Backoff backoff) {
	}

	/**
	 * The pauses between failed attempts, which double with each further failure:
	 * {@code initial * 2 ^ (failures - 1)}, at most {@code max}.
	 *
	 * @param initial the pause after the first failure
	 * @param max the longest pause
	 */
	record Backoff(Duration initial, Duration max) {

		/**
		 * Returns the time until the next attempt.
		 * @param failures the number of failed attempts, from 1
		 * @return the time
		 */
		public Duration after(int failures) {
			double millis = this.initial.toMillis() * Math.pow(2, failures - 1);
			return (millis < this.max.toMillis()) ? Duration.ofMillis((long) millis) : this.max;
		}

		/**
		 * Returns the time until the next attempt, at random up to a fifth less, so that
		 * requests that failed together are not repeated together.
		 * @param failures the number of failed attempts, from 1
		 * @return the time
		 */
		public Duration spreadAfter(int failures) {
			double part = ThreadLocalRandom.current().nextDouble(0.8, 1);
			return Duration.ofNanos((long) (after(failures).toNanos() * part));
		}

	}

	/**
	 * An unfinished request that was claimed in order to be completed.
	 *
	 * @param lease the claim
	 * @param operation the operation's name
	 * @param fingerprint the fingerprint of the request
	 * @param command the encoded request
	 * @param progress its progress
	 */
	record Recovery(Lease lease, String operation, byte[] fingerprint, byte[] command, Progress progress) {
	}

}
