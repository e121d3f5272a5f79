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
package dev.idempotency.autoconfigure.job;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireBetween;

/**
 * Settings of staged jobs.
 *
 * @param enabled Whether jobs can be staged and run.
 * @param threads Number of jobs that this node runs at the same time; each uses a
 * connection.
 * @param pollingInterval Time between two searches for due jobs. Jobs that this node
 * stages run without waiting for it. Also the pause before the second attempt at a failed
 * job, doubled for each further one, up to 180 times this time.
 * @param maxAttempts Maximum number of attempts at a staged job before it is dead.
 */
@ConfigurationProperties("idempotency.job")
record JobProperties(@DefaultValue("true") boolean enabled, @DefaultValue("4") int threads,
		@DefaultValue("10s") Duration pollingInterval, @DefaultValue("12") int maxAttempts) {

	public JobProperties {
		require(threads >= 1 && threads <= 100, "job.threads", threads, "Write a number from 1 to 100.");
		requireBetween(pollingInterval, Duration.ofMillis(100), Duration.ofHours(1), "job.polling-interval",
				"Write a duration from 100ms to 1h, such as 10s.");
		require(maxAttempts >= 1 && maxAttempts <= 1000, "job.max-attempts", maxAttempts,
				"Write a number from 1 to 1000.");
	}

}
