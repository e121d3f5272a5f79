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

import java.util.UUID;

/**
 * The identity of a staged job, and the idempotency key of its execution.
 *
 * @param value a random UUID
 */
public record JobId(UUID value) {

	/**
	 * Parses an id, for instance from an operator's input.
	 * @param text the result of {@link #toString()}
	 * @return the id
	 * @throws IllegalArgumentException if it is not a UUID
	 */
	public static JobId parse(String text) {
		return new JobId(UUID.fromString(text));
	}

	/**
	 * Returns the UUID as text.
	 * @return 36 characters
	 */
	@Override
	public String toString() {
		return this.value.toString();
	}

}
