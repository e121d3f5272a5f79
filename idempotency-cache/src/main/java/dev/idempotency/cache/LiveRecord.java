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
package dev.idempotency.cache;

import java.time.Duration;

import dev.idempotency.store.StoredRecord;

/**
 * A record, and until when it may be given out.
 *
 * @param stored the record
 * @param deadline the time at which its life is over, as {@link System#nanoTime()} counts
 */
record LiveRecord(StoredRecord stored, long deadline) {

	/**
	 * Returns this record with a shorter life.
	 * @param maxAge the longest time for which it may be given out from now on
	 */
	LiveRecord atMost(Duration maxAge, long now) {
		return (left(now) > maxAge.toNanos()) ? new LiveRecord(this.stored, now + maxAge.toNanos()) : this;
	}

	/**
	 * Returns the remaining life.
	 * @return nanoseconds; negative when it is over
	 */
	long left(long now) {
		return this.deadline - now;
	}

}
