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
package dev.idempotency.autoconfigure.observability;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.autoconfigure.guard.StartupReport;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.job.JobHandler;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.maintenance.IdempotencyReaper;

/**
 * Creates the meters of all operations once the annotated methods and the job handlers of
 * all beans are known, and the meters of the features that are in use. An application
 * without annotations has none.
 *
 * @param meters the meters
 * @param operations the annotated operations
 * @param jobs the handlers of jobs
 * @param reaper the reaper of this node, if there is one
 * @param completer the completer of this node, if there is one
 * @param environment the environment of the application
 */
record OperationMeters(MicrometerListener meters, OperationFactory operations, ObjectProvider<JobHandler<?>> jobs,
		ObjectProvider<IdempotencyReaper> reaper, ObjectProvider<IdempotencyCompleter> completer,
		Environment environment) implements StartupReport {

	@Override
	public void report() {
		List<IdempotentOperation> annotated = this.operations.all();
		List<String> handled = this.jobs.stream().map((handler) -> handler.type().operation()).toList();
		boolean cached = isSet("idempotency.cache.local.enabled");
		annotated.forEach((operation) -> this.meters.register(operation.name(), operation.mode(), cached));
		handled.forEach((operation) -> this.meters.registerJob(operation, cached));
		if ((!annotated.isEmpty() || !handled.isEmpty()) && isThere(this.reaper)) {
			this.meters.registerReaper();
		}
		if (annotated.stream().anyMatch((operation) -> operation.mode() == Mode.LEASED)) {
			this.meters.registerLeases(isThere(this.completer));
		}
		if (isSet("idempotency.outbox.enabled")) {
			this.meters.registerOutbox();
		}
	}

	private boolean isSet(String property) {
		return this.environment.getProperty(property, Boolean.class, false);
	}

	private static boolean isThere(ObjectProvider<?> beans) {
		return beans.stream().findAny().isPresent();
	}

}
