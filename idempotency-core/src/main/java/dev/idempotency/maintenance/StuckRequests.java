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

import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.store.UnfinishedStore;

/**
 * Finds the unfinished requests that need manual resolution, and informs the listeners.
 * Nothing unfinished is ever deleted.
 *
 * @param store the unfinished requests
 * @param notifications the listeners
 * @param maxAttempts after how many attempts a request is left to a human
 * @param keep the time after its last attempt that a request is left to its sender
 */
public record StuckRequests(UnfinishedStore store, NotificationPublisher notifications, int maxAttempts,
		Duration keep) {

	void mark() {
		this.store.markStuck(this.maxAttempts, this.keep)
			.forEach((operation) -> this.notifications.publish(new Stuck(operation)));
	}

}
