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

import org.springframework.util.function.ThrowingConsumer;

/**
 * Handles the jobs of one type. Declare a bean for each type; a node without a handler
 * leaves the jobs of that type to other nodes.
 * <p>
 * A handler runs in a separate transaction, which also removes the job: its writes
 * through the application's transaction manager happen once, however often the job is
 * delivered. Other effects, such as a mail, may happen again after a crash.
 *
 * @param <T> the type of the payload
 */
public interface JobHandler<T> {

	/**
	 * Returns the type of its jobs.
	 * @return the type, always the same
	 */
	JobType<T> type();

	/**
	 * Handles one job.
	 * @param payload the staged payload
	 * @throws Exception if the job cannot be done now; everything is rolled back, and the
	 * job is tried again later
	 */
	void handle(T payload) throws Exception;

	/**
	 * Creates a handler from a function.
	 * @param type the type of its jobs
	 * @param work the function
	 * @param <T> the type of the payload
	 * @return the handler
	 */
	static <T> JobHandler<T> of(JobType<T> type, ThrowingConsumer<T> work) {
		return new JobHandler<>() {

			@Override
			public JobType<T> type() {
				return type;
			}

			@Override
			public void handle(T payload) throws Exception {
				work.acceptWithException(payload);
			}

		};
	}

}
