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

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;
import static dev.idempotency.autoconfigure.PropertyRules.requireZeroOrMore;

/**
 * Settings of the reaper, which deletes expired answers.
 *
 * @param enabled Whether this node deletes expired answers.
 * @param interval Time between two runs of the reaper.
 * @param batchSize Number of expired answers that are deleted in one transaction.
 * @param pause Pause between two batches of a run of the reaper.
 * @param keepUnfinished Time that an unfinished request is left to its sender before it
 * needs manual resolution.
 * @param keepStuckRequests Time that the content of a request is kept after it is found
 * to need manual resolution. The request itself stays, with the results of its steps.
 */
record ReaperProperties(@DefaultValue("true") boolean enabled, @DefaultValue("1m") Duration interval,
		@DefaultValue("5000") int batchSize, @DefaultValue("50ms") Duration pause,
		@DefaultValue("24h") Duration keepUnfinished, @DefaultValue("30d") Duration keepStuckRequests) {

	static final ReaperProperties DEFAULTS = new ReaperProperties(true, Duration.ofMinutes(1), 5000,
			Duration.ofMillis(50), Duration.ofHours(24), Duration.ofDays(30));

	public ReaperProperties {
		requirePositive(interval, "reaper.interval", "1m");
		require(batchSize >= 1 && batchSize <= 100_000, "reaper.batch-size", batchSize,
				"Write a number from 1 to 100000.");
		requireZeroOrMore(pause, "reaper.pause", "50ms");
		requirePositive(keepUnfinished, "reaper.keep-unfinished", "24h");
		requirePositive(keepStuckRequests, "reaper.keep-stuck-requests", "30d");
	}

}
