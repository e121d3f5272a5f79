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
package dev.idempotency.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.store.UnfinishedStore.RecoveryRequest.Backoff;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireBetween;
import static dev.idempotency.autoconfigure.PropertyRules.requireZeroOrMore;

/**
 * Settings of the completer, which completes abandoned requests.
 *
 * @param enabled Whether the requests of this application are stored, so that abandoned
 * ones can be completed. The same on all nodes.
 * @param authority Authority with which a request is completed: current, only if the
 * sender is a user who has exactly the authorities of then, or stored, with the
 * authorities of then also for senders who cannot be loaded, such as the bearers of
 * tokens. A role that was revoked from these meanwhile is not seen.
 * @param interval Time between two searches for abandoned requests. Also the pause before
 * the second attempt at one, doubled for each further attempt, up to 180 times this time.
 * @param after Time that a request is left to its sender after its lease has expired.
 * @param maxAttempts Maximum number of attempts at a request before it needs manual
 * resolution.
 * @param threads Number of abandoned requests that this node completes at the same time,
 * 0 to leave them to other nodes.
 */
public record CompleterProperties(@DefaultValue("true") boolean enabled, @DefaultValue("current") Authority authority,
		@DefaultValue("10s") Duration interval, @DefaultValue("5m") Duration after, @DefaultValue("12") int maxAttempts,
		@DefaultValue("2") int threads) {

	/**
	 * The longest pause between two attempts, in intervals: half an hour by default.
	 */
	private static final int LONGEST_PAUSE = 180;

	static final CompleterProperties DEFAULTS = new CompleterProperties(true, Authority.CURRENT, Duration.ofSeconds(10),
			Duration.ofMinutes(5), 12, 2);

	public CompleterProperties {
		requireBetween(interval, Duration.ofMillis(1), Duration.ofHours(1), "completer.interval",
				"Write a duration from 1ms to 1h, such as 10s.");
		requireZeroOrMore(after, "completer.after", "5m");
		require(maxAttempts >= 1 && maxAttempts <= 1000, "completer.max-attempts", maxAttempts,
				"Write a number from 1 to 1000.");
		require(threads >= 0 && threads <= 64, "completer.threads", threads, "Write a number from 0 to 64.");
	}

	/**
	 * Returns the pauses between two attempts at a request.
	 */
	Backoff backoff() {
		return new Backoff(this.interval, this.interval.multipliedBy(LONGEST_PAUSE));
	}

	/**
	 * The authority with which a request is completed.
	 */
	public enum Authority {

		/**
		 * The authorities of then, if the sender has exactly these now.
		 */
		CURRENT,

		/**
		 * The authorities of then, also for senders who cannot be loaded.
		 */
		STORED

	}

}
