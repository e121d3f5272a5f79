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
package dev.idempotency.engine;

import java.time.Duration;

import org.springframework.core.retry.RetryPolicy;
import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.store.LeaseRequest.LeaseLimits;

/**
 * Settings of the engine, the same for all operations.
 *
 * @param maxWait the time that a duplicate waits for the response of the first delivery,
 * zero to be refused immediately
 * @param isolation the default isolation of the transactions of phases
 * @param retry the retries of a phase that could not be serialised
 * @param lease the settings of leases
 */
public record EngineSettings(Duration maxWait, Isolation isolation, RetryPolicy retry, Lease lease) {

	/**
	 * The delay after which a refused caller may send a request again.
	 */
	public static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	/**
	 * Settings of leases.
	 *
	 * @param duration the duration of a claim without a heartbeat
	 * @param max the maximum time for which a claim is extended
	 * @param onExpiry the handling of a request whose lease has expired
	 * @param maxAttempts the number of attempts after which a request is not claimed
	 * again
	 * @param limits the maximum numbers of unfinished requests of one account
	 */
	public record Lease(Duration duration, Duration max, LeaseExpiry onExpiry, int maxAttempts, LeaseLimits limits) {

		/**
		 * Returns the time between two extensions: one of them may be lost, and the next
		 * is still in time.
		 * @return a third of the duration
		 */
		public Duration heartbeat() {
			return this.duration.dividedBy(3);
		}

	}

}
