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
import java.util.Objects;

import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;
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
 * @param interval Time between two searches for abandoned requests.
 * @param after Time that a request is left to its sender after its lease has expired.
 * @param maxAttempts Maximum number of attempts at a request before it needs manual
 * resolution.
 * @param threads Number of abandoned requests that this node completes at the same time,
 * 0 to leave them to other nodes.
 * @param backoff Pauses between two attempts at an abandoned request.
 */
public record CompleterProperties(@DefaultValue("true") boolean enabled, @DefaultValue("current") Authority authority,
		@DefaultValue("10s") Duration interval, @DefaultValue("5m") Duration after, @DefaultValue("12") int maxAttempts,
		@DefaultValue("2") int threads, @NestedConfigurationProperty BackoffProperties backoff) {

	static final CompleterProperties DEFAULTS = new CompleterProperties(true, Authority.CURRENT, Duration.ofSeconds(10),
			Duration.ofMinutes(5), 12, 2, BackoffProperties.DEFAULTS);

	public CompleterProperties {
		backoff = Objects.requireNonNullElse(backoff, BackoffProperties.DEFAULTS);
		requirePositive(interval, "completer.interval", "10s");
		requireZeroOrMore(after, "completer.after", "5m");
		require(maxAttempts >= 1 && maxAttempts <= 1000, "completer.max-attempts", maxAttempts,
				"Write a number from 1 to 1000.");
		require(threads >= 0 && threads <= 64, "completer.threads", threads, "Write a number from 0 to 64.");
		backoff.validate("completer.backoff");
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
