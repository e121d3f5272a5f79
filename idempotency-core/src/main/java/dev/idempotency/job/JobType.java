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

import java.util.Objects;
import java.util.regex.Pattern;

import org.springframework.util.Assert;

/**
 * A type of jobs, which determines their handler and payload.
 *
 * @param name a stable name that is stored with each job: 1 to 100 letters, digits, dots,
 * underscores and hyphens, beginning with a letter or digit
 * @param payloadType the class of the payload, for reading it back from JSON
 * @param <T> the type of the payload
 */
public record JobType<T>(String name, Class<T> payloadType) {

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

	public JobType {
		Assert.isTrue(NAME.matcher(name).matches(), () -> "The job type has the name '" + name
				+ "'. Write 1 to 100 letters, digits, dots, underscores or hyphens, such as send-receipt.");
		Objects.requireNonNull(payloadType, "payloadType");
	}

	/**
	 * Creates a job type.
	 * @param name a stable name
	 * @param payloadType the class of its payload
	 * @param <T> the type of the payload
	 * @return the type
	 * @throws IllegalArgumentException if the name is invalid
	 */
	public static <T> JobType<T> of(String name, Class<T> payloadType) {
		return new JobType<>(name, payloadType);
	}

	/**
	 * Returns the name of its operation in notifications, meters and records.
	 * @return the name with a prefix
	 */
	public String operation() {
		return "job." + this.name;
	}

}
