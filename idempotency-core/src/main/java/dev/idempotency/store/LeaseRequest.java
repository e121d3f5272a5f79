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

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A request for a lease.
 *
 * @param identity the identity to claim
 * @param operation the operation's name, for operators
 * @param fingerprint the fingerprint of the request
 * @param command the encoded request, for the completer; {@code null} if only its sender
 * can repeat it. Not changed when a claim is taken over
 * @param duration the duration of the claim unless it is extended, by the database's
 * clock
 * @param takeover whether an expired claim of another owner may be taken over. One that
 * is left to its sender may be in any case
 * @param maxAttempts the number of attempts from which on a claim is not taken over
 * @param limits the maximum numbers of unfinished requests of the account; they do not
 * apply to a claim that is taken over
 */
public record LeaseRequest(Identity identity, String operation, byte[] fingerprint, byte @Nullable [] command,
		Duration duration, boolean takeover, int maxAttempts, LeaseLimits limits) {

	/**
	 * Maximum numbers of unfinished requests of one account in one application. Claims do
	 * not wait for each other, so parallel claims may exceed a limit by their number.
	 *
	 * @param maxOpen the maximum number of requests that run under a lease or wait for
	 * another attempt, 0 for no limit
	 * @param maxStuck the maximum number of requests that need manual resolution, 0 for
	 * no limit
	 */
	public record LeaseLimits(int maxOpen, int maxStuck) {

		/**
		 * No limits.
		 */
		public static final LeaseLimits NONE = new LeaseLimits(0, 0);

		/**
		 * Creates limits.
		 * @throws IllegalArgumentException if a number is negative
		 */
		public LeaseLimits {
			Assert.isTrue(maxOpen >= 0 && maxStuck >= 0, "A limit must not be negative");
		}

		/**
		 * Returns whether one more request is within the limits.
		 * @param open the requests that run or wait
		 * @param stuck the requests that need manual resolution
		 * @return {@code false} if one of the limits is reached
		 */
		public boolean allow(long open, long stuck) {
			return (this.maxOpen == 0 || open < this.maxOpen) && (this.maxStuck == 0 || stuck < this.maxStuck);
		}

	}

}
