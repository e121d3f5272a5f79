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

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;

/**
 * The handlers of the application by the names of their types. They are looked up when
 * the application has started, so that handlers may stage jobs themselves.
 */
final class JobHandlers {

	private final SingletonSupplier<Map<String, JobHandler<?>>> handlers;

	JobHandlers(ObjectProvider<JobHandler<?>> handlers) {
		this.handlers = SingletonSupplier.of(() -> byName(handlers.orderedStream().toList()));
	}

	private static Map<String, JobHandler<?>> byName(List<JobHandler<?>> handlers) {
		Map<String, JobHandler<?>> byName = new LinkedHashMap<>();
		for (JobHandler<?> handler : handlers) {
			JobHandler<?> other = byName.put(handler.type().name(), handler);
			if (other != null) {
				throw new InvalidIdempotentException(
						"Two beans handle jobs of the type '" + handler.type().name() + "': "
								+ other.getClass().getName() + " and " + handler.getClass().getName() + ".",
						"Declare one JobHandler for each type, or give one of them a type with another name.");
			}
		}
		return byName;
	}

	Collection<JobHandler<?>> all() {
		return this.handlers.obtain().values();
	}

	/**
	 * Refuses a payload of another class than that of the handler, which has to be
	 * detected before the commit.
	 */
	void requireSamePayload(JobType<?> type) {
		JobHandler<?> handler = this.handlers.obtain().get(type.name());
		if (handler != null && handler.type().payloadType() != type.payloadType()) {
			throw new IllegalArgumentException("A job of the type '" + type.name() + "' is staged with "
					+ type.payloadType().getName() + ", but its handler takes " + handler.type().payloadType().getName()
					+ ". Use one JobType constant for both.");
		}
	}

}
