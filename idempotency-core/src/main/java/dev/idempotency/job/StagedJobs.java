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
import java.util.List;
import java.util.UUID;

import org.springframework.transaction.IllegalTransactionStateException;

/**
 * Stages jobs in the transaction of the business rows, and manages those that have failed
 * permanently.
 * <ol>
 * <li>Staging is one insert in the caller's transaction. A job whose transaction is
 * rolled back never existed.</li>
 * <li>After the commit, any node with a {@link JobHandler} for its type runs it: this
 * node immediately, other nodes when they poll
 * ({@code idempotency.job.polling-interval}).</li>
 * <li>The writes of the handler and the removal of the job are one transaction. A job
 * that is delivered again because its node was considered dead has no second local
 * effect.</li>
 * <li>A job that fails is tried again after growing pauses, from
 * {@code idempotency.job.polling-interval} up to 180 times of it.</li>
 * <li>After {@code idempotency.job.max-attempts} it is dead: out of the queue, kept,
 * listed by {@link #dead()}, and run again only through {@link #retry}.</li>
 * </ol>
 */
public interface StagedJobs {

	/**
	 * Maximum number of staged jobs that are counted.
	 */
	int COUNTED = 10_000;

	/**
	 * Stages a job that may run as soon as the current transaction has committed.
	 * @param type its type
	 * @param payload the payload for the handler; stored as JSON, encoded as answers are
	 * @param <T> the type of the payload
	 * @return its id, which is also the idempotency key of its execution
	 * @throws IllegalTransactionStateException without a writable transaction of the
	 * business rows
	 * @throws IllegalArgumentException if the payload cannot be written as JSON and read
	 * again as it is
	 */
	<T> UUID stage(JobType<T> type, T payload);

	/**
	 * Stages a job that runs after a point in time.
	 * @param type its type
	 * @param payload the payload for the handler
	 * @param notBefore the earliest time at which it may run, by the database's clock
	 * @param <T> the type of the payload
	 * @return its id
	 * @throws IllegalTransactionStateException as above
	 * @throws IllegalArgumentException as above, or if the time is outside the years 1 to
	 * 9999
	 */
	<T> UUID stage(JobType<T> type, T payload, Instant notBefore);

	/**
	 * Counts the staged jobs of this application, including running ones, among the first
	 * {@value #COUNTED} jobs of the table.
	 * @return the number of jobs
	 */
	int staged();

	/**
	 * Returns the first hundred dead jobs of this application.
	 * @return the jobs, in the order in which they died
	 */
	default List<DeadJob> dead() {
		return dead(100);
	}

	/**
	 * Returns dead jobs of this application.
	 * @param limit the maximum number, from 1
	 * @return the jobs, in the order in which they died
	 */
	List<DeadJob> dead(int limit);

	/**
	 * Puts a dead job back into the queue, with all its attempts. Joins the current
	 * transaction, if any.
	 * @param id its id
	 * @throws IllegalArgumentException if no job with this id is dead
	 */
	void retry(UUID id);

	/**
	 * Deletes a dead job. Joins the current transaction, if any.
	 * @param id its id
	 * @throws IllegalArgumentException if no job with this id is dead
	 */
	void discard(UUID id);

	/**
	 * A job that failed too often. It stays until an operator retries or discards it.
	 *
	 * @param id its id
	 * @param type the name of its {@link JobType}
	 * @param attempts the number of attempts
	 * @param stagedAt the time of its staging, by the database's clock
	 * @param diedAt the time of its last failure, by the database's clock
	 * @param lastError the class names of the last exception and its causes, separated by
	 * {@code " < "}; never a message, which could quote the payload
	 */
	record DeadJob(UUID id, String type, int attempts, Instant stagedAt, Instant diedAt, String lastError) {
	}

}
