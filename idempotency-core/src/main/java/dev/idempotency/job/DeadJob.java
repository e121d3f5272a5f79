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
package dev.idempotency.job;

import java.time.Instant;

/**
 * A job that failed too often. It stays until an operator retries or discards it.
 *
 * @param id its id
 * @param type the name of its {@link JobType}
 * @param attempts the number of times that it was tried
 * @param stagedAt the time at which it was staged, by the database's clock
 * @param diedAt the time at which it failed for the last time, by the database's clock
 * @param lastError the class names of the last exception and its causes, separated by
 * {@code " <- "}; never a message, which could quote the payload
 */
public record DeadJob(JobId id, String type, int attempts, Instant stagedAt, Instant diedAt, String lastError) {
}
