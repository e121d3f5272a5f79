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
package dev.idempotency.outbox;

import java.time.Duration;

import dev.idempotency.maintenance.Backoff;

/**
 * The settings of the outbox relay.
 *
 * @param namespace separates applications that share a database
 * @param pollingInterval time between two looks for events of other nodes
 * @param batchSize the number of events sent at once, each of another key
 * @param sendTimeout the time that a broker has to acknowledge them
 * @param backoff the time that a failed event, or a destination that does not answer,
 * waits
 */
public record OutboxSettings(String namespace, Duration pollingInterval, int batchSize, Duration sendTimeout,
		Backoff backoff) {
}
