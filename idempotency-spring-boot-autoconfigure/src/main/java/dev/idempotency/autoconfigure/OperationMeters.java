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
package dev.idempotency.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

import dev.idempotency.engine.OperationFactory;
import dev.idempotency.job.dbscheduler.JobHandlers;
import dev.idempotency.observability.MicrometerListener;

/**
 * Creates the meters of all operations once the annotated methods and the job handlers of
 * all beans are known.
 */
final class OperationMeters implements ApplicationListener<ContextRefreshedEvent> {

	private final MicrometerListener meters;

	private final OperationFactory operations;

	private final ObjectProvider<JobHandlers> jobs;

	OperationMeters(MicrometerListener meters, OperationFactory operations, ObjectProvider<JobHandlers> jobs) {
		this.meters = meters;
		this.operations = operations;
		this.jobs = jobs;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		this.operations.names().forEach(this.meters::register);
		this.jobs.ifAvailable((handlers) -> handlers.operations().forEach(this.meters::registerJob));
	}

}
