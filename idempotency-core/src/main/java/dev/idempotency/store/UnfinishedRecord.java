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
package dev.idempotency.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import dev.idempotency.operator.RequestHistory;

/**
 * A request without an answer, as operators see it.
 *
 * @param lease the last claim
 * @param operation the operation's name
 * @param fingerprint the fingerprint of the request
 * @param createdAt the time of its first claim
 * @param leaseUntil the end of the last claim
 * @param running whether that end is in the future
 * @param effects whether it has committed effects that no step records
 * @param progress its progress
 * @param command the encoded request, {@code null} if it is not stored
 * @param retryAt the time of the completer's next attempt, {@code null} if it is not set
 * @param stuckAt the time since which it needs manual resolution, {@code null} if it does
 * not
 * @param lastError the names of the exceptions of the last attempt
 * @param history its claims, steps and attempts
 */
public record UnfinishedRecord(Lease lease, String operation, byte[] fingerprint, Instant createdAt, Instant leaseUntil,
		boolean running, boolean effects, Progress progress, byte @Nullable [] command, @Nullable Instant retryAt,
		@Nullable Instant stuckAt, @Nullable String lastError, RequestHistory history) {
}
