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
package dev.idempotency.job.dbscheduler;

import java.time.Duration;

import dev.idempotency.job.JobType;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest.Backoff;

/**
 * The settings of jobs.
 *
 * @param namespace separates applications that share a database
 * @param threads the number of jobs that a node runs at the same time
 * @param pollingInterval time between two searches for due jobs
 * @param heartbeatInterval time between two heartbeats of a running job; after four
 * missed ones another node gets it
 * @param maxAttempts the number of attempts after which a job is dead
 * @param backoff the time between two attempts
 */
public record JobSettings(String namespace, int threads, Duration pollingInterval, Duration heartbeatInterval,
		int maxAttempts, Backoff backoff) {

	/**
	 * Returns the name of a job type in db-scheduler. A type's name has no colon, so that
	 * the names of different pairs of namespace and type differ.
	 */
	String taskName(JobType<?> type) {
		return this.namespace + ":" + type.name();
	}

}
