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

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

import dev.idempotency.job.StagedJobs;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.maintenance.IdempotencyReaper;

/**
 * The background workers of this node.
 *
 * @param reapers the reaper, if there is one
 * @param completers the completer, if there is one
 * @param jobs the staged jobs, if there are any
 */
record NodeWorkers(ObjectProvider<IdempotencyReaper> reapers, ObjectProvider<IdempotencyCompleter> completers,
		ObjectProvider<StagedJobs> jobs) {

	@Nullable WorkerState reaper() {
		IdempotencyReaper reaper = this.reapers.getIfAvailable();
		return (reaper != null) ? new WorkerState(reaper.isAlive(), reaper.lastRun()) : null;
	}

	@Nullable WorkerState completer() {
		IdempotencyCompleter completer = this.completers.getIfAvailable();
		return (completer != null) ? new WorkerState(completer.isRunning(), completer.lastRun()) : null;
	}

	@Nullable Integer deadJobs() {
		StagedJobs staged = this.jobs.getIfAvailable();
		return (staged != null) ? staged.dead(OperatorCalls.MAX_LIMIT).size() : null;
	}

	/**
	 * A worker of this node.
	 *
	 * @param alive whether it is working
	 * @param lastRun the time of its last run by the clock of this node, {@code null} if
	 * unknown
	 */
	record WorkerState(boolean alive, @Nullable Instant lastRun) {
	}

}
