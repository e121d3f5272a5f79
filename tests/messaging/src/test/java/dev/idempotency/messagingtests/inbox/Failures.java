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
package dev.idempotency.messagingtests.inbox;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.core.NestedExceptionUtils;

/**
 * The failures that reached the error handler of a container.
 */
class Failures {

	private final List<Failure> failures = new CopyOnWriteArrayList<>();

	void add(String source, Throwable failure) {
		this.failures.add(new Failure(source, NestedExceptionUtils.getMostSpecificCause(failure)));
	}

	List<Throwable> of(String source) {
		List<Throwable> found = new ArrayList<>();
		this.failures.stream()
			.filter((failure) -> failure.source().equals(source))
			.forEach((failure) -> found.add(failure.cause()));
		return found;
	}

	private record Failure(String source, Throwable cause) {
	}

}
