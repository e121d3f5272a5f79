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

import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

/**
 * Settings of the reaper, which deletes expired answers.
 *
 * @param enabled Whether this node deletes expired answers.
 * @param interval Time between two runs of the reaper.
 * @param keepUnfinished Time that an unfinished request is left to its sender before it
 * needs manual resolution.
 * @param keepStuckRequests Time that the content of a request is kept after it is found
 * to need manual resolution. The request itself stays, with the results of its steps.
 */
record ReaperProperties(@DefaultValue("true") boolean enabled, @DefaultValue("1m") Duration interval,
		@DefaultValue("24h") Duration keepUnfinished, @DefaultValue("30d") Duration keepStuckRequests) {

	static final ReaperProperties DEFAULTS = new ReaperProperties(true, Duration.ofMinutes(1), Duration.ofHours(24),
			Duration.ofDays(30));

	public ReaperProperties {
		requirePositive(interval, "reaper.interval", "1m");
		requirePositive(keepUnfinished, "reaper.keep-unfinished", "24h");
		requirePositive(keepStuckRequests, "reaper.keep-stuck-requests", "30d");
	}

}
