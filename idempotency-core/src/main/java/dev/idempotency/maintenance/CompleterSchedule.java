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

import dev.idempotency.store.RecoveryRequest.Backoff;

/**
 * The schedule of the completer, and its selection of requests.
 *
 * @param interval the time between two looks that find nothing, give or take a tenth
 * @param after the time after the end of its lease that a request is left to its sender
 * @param maxAttempts after how many attempts a request is left to a human
 * @param threads the number of requests completed at the same time
 * @param backoff the time between two attempts
 */
public record CompleterSchedule(Duration interval, Duration after, int maxAttempts, int threads, Backoff backoff) {

	Duration first() {
		return Jitter.first(this.interval);
	}

	Duration next() {
		return Jitter.next(this.interval);
	}

}
