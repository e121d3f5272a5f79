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
package dev.idempotency.store.jpa;

/**
 * The statements for unfinished requests. Those that return requests have the columns id,
 * account, fence, operation, fingerprint, created at, lease until, whether that is to
 * come, effects, attempts, recovery point, steps, command, retry at, stuck at, last
 * error.
 *
 * @param claimDue claims what is due. Parameters: namespace, attempts, seconds after the
 * lease, limit, seconds of the new lease, and longest pause, first pause and factor.
 * Result: requests
 * @param markStuck marks what only a human can bring to an end. Parameters: namespace,
 * attempts, seconds after the lease. Result: operations
 * @param find reads a request. Parameters: namespace, id
 * @param list reads requests, the oldest first. Parameters: namespace, whether only those
 * that are stuck, limit
 * @param retry lets a request be tried again. Parameters: namespace, id
 * @param claim claims a request. Parameters: seconds, namespace, id. Result: the request
 */
record UnfinishedDialect(String claimDue, String markStuck, String find, String list, String retry, String claim) {
}
