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
package dev.idempotency.maintenance;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * When the reaper runs, and how much it does at a time.
 *
 * @param interval the time between two runs, give or take a tenth
 * @param batchSize how many records are deleted in one transaction
 * @param pause the time between two batches of a run
 */
public record ReaperSchedule(Duration interval, int batchSize, Duration pause) {

	/**
	 * Nodes that are deployed together start anywhere in the first interval.
	 */
	Duration first() {
		return scaled(ThreadLocalRandom.current().nextDouble());
	}

	/**
	 * Nodes that run in step by accident drift apart.
	 */
	Duration next() {
		return scaled(ThreadLocalRandom.current().nextDouble(0.9, 1.1));
	}

	private Duration scaled(double factor) {
		return Duration.ofNanos((long) (this.interval.toNanos() * factor));
	}

}
