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

import dev.idempotency.operator.RequestHistory;

/**
 * A finished record that is alive, as operators see it.
 *
 * @param identity its identity
 * @param operation the operation's name
 * @param fingerprint the fingerprint of the request
 * @param answer the answer
 * @param finishedAt the time of its storage
 * @param expiresAt the end of its time to live
 * @param history the history of its request under leases, empty for one without
 */
public record KeptRecord(Identity identity, String operation, byte[] fingerprint, StoredAnswer answer,
		Instant finishedAt, Instant expiresAt, RequestHistory history) {
}
