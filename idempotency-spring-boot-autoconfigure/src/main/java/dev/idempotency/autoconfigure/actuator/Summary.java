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
package dev.idempotency.autoconfigure.actuator;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.idempotency.store.OperatorStore.Overview;

/**
 * Counts of records and requests, and the state of the background workers.
 *
 * @param records the approximate number of stored answers: the database's estimate,
 * including expired answers and those of other applications that share the tables
 * @param running the number of requests of this application running under a lease
 * @param waiting the number that may be retried
 * @param stuck the number that need manual resolution
 * @param oldestOpen the oldest request without an answer, {@code null} if there is none
 * @param deadJobs the number of dead staged jobs, counted to 1000; {@code null} without
 * staged jobs
 * @param reaper the reaper of this node, {@code null} if it has none
 * @param completer the completer of this node, {@code null} if it has none
 */
record Summary(long records, int running, int waiting, int stuck, @Nullable OldestOpen oldestOpen,
		@Nullable Integer deadJobs, NodeWorkers.@Nullable WorkerState reaper,
		NodeWorkers.@Nullable WorkerState completer) implements OperationResponseBody {

	/**
	 * The oldest request without an answer.
	 *
	 * @param ageSeconds its age in seconds
	 * @param operation the operation's name
	 */
	record OldestOpen(long ageSeconds, String operation) {

		static @Nullable OldestOpen of(Overview overview) {
			Overview.Oldest oldest = overview.oldest();
			return (oldest != null) ? new OldestOpen(oldest.age().toSeconds(), oldest.operation()) : null;
		}

	}

}
