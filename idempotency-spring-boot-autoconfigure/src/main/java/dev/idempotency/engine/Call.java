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
package dev.idempotency.engine;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.store.Identity;

/**
 * One delivery of a request.
 *
 * @param operation the operation that it calls
 * @param identity what its record is found by
 * @param fingerprint what tells it from other requests with the same key
 * @param transactional whether the operation wants one transaction around all of it,
 * answer included. Always so in mode TRANSACTIONAL
 */
public record Call(IdempotentOperation operation, Identity identity, byte[] fingerprint, boolean transactional) {
}
