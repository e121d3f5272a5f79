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
package dev.idempotency.engine.lease;

import java.time.Duration;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.store.LeaseLimits;

/**
 * Settings of leases.
 *
 * @param duration how long a claim holds without a heartbeat
 * @param heartbeat time between two extensions, less than half of the duration
 * @param max the time for which a claim is extended at most
 * @param onExpiry what happens to a request whose owner let its lease expire
 * @param maxAttempts from how many attempts on a request is not claimed again
 * @param limits largest numbers of unfinished requests of one account
 */
public record LeaseSettings(Duration duration, Duration heartbeat, Duration max, LeaseExpiry onExpiry, int maxAttempts,
		LeaseLimits limits) {
}
