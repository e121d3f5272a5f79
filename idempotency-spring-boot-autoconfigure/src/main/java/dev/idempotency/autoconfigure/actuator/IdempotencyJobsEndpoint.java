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
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.StagedJobs.DeadJob;

/**
 * The operators' endpoint of dead jobs and actions on them. As with
 * {@link IdempotencyEndpoint}, the actions have to be enabled.
 */
@Endpoint(id = "idempotencyjobs", defaultAccess = Access.READ_ONLY)
final class IdempotencyJobsEndpoint {

	private final StagedJobs jobs;

	IdempotencyJobsEndpoint(StagedJobs jobs) {
		this.jobs = jobs;
	}

	/**
	 * Returns the number of staged jobs, and the dead jobs, oldest first.
	 * @param limit maximum length of the list, 100 by default and up to 1000
	 * @return the jobs
	 */
	@ReadOperation
	public DeadJobs dead(@Nullable Integer limit) {
		return new DeadJobs(this.jobs.staged(),
				this.jobs.dead(OperatorCalls.limit(limit)).stream().map(JobView::of).toList());
	}

	/**
	 * Puts a dead job back into the queue, or deletes it.
	 * @param id its id
	 * @param action {@code retry} or {@code discard}
	 * @param operator the operator's call
	 */
	@WriteOperation
	public void act(@Selector String id, @Selector String action, SecurityContext operator) {
		OperatorCalls.act(operator, action, "job " + id, () -> this.jobs.retry(UUID.fromString(id)),
				() -> this.jobs.discard(UUID.fromString(id)));
	}

	/**
	 * A list of jobs.
	 *
	 * @param staged the number of staged jobs that are not completed, counted to 10,000
	 * @param jobs the dead jobs
	 */
	record DeadJobs(int staged, List<JobView> jobs) implements OperationResponseBody {
	}

	/**
	 * A dead job.
	 *
	 * @param id its id
	 * @param type the name of its type
	 * @param attempts the number of attempts
	 * @param stagedAt the time at which it was staged
	 * @param diedAt the time of its last failure
	 * @param lastError the class names of its last exception and the causes
	 */
	record JobView(String id, String type, int attempts, Instant stagedAt, Instant diedAt,
			String lastError) implements OperationResponseBody {

		static JobView of(DeadJob job) {
			return new JobView(job.id().toString(), job.type(), job.attempts(), job.stagedAt(), job.diedAt(),
					job.lastError());
		}

	}

}
