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

/**
 * The schedule and batch size of the reaper.
 *
 * @param interval the time between two runs, give or take a tenth
 * @param batchSize the number of records deleted in one transaction
 * @param pause the time between two batches of a run
 */
public record ReaperSchedule(Duration interval, int batchSize, Duration pause) {

	Duration first() {
		return Jitter.first(this.interval);
	}

	Duration next() {
		return Jitter.next(this.interval);
	}

}
