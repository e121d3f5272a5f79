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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import static dev.idempotency.autoconfigure.PropertyRules.requireRetention;

/**
 * The retention of answers by outcome, where it is shorter than the time to live of the
 * operation.
 *
 * @param clientError Longest time that a 4xx answer is kept. The ttl of the operation if
 * not set.
 * @param serverError Longest time that a 5xx answer is kept, where those are stored. The
 * ttl of the operation if not set.
 */
record RetentionProperties(@Nullable Duration clientError, @Nullable Duration serverError) {

	static final RetentionProperties DEFAULTS = new RetentionProperties(null, null);

	public RetentionProperties {
		requireIfSet(clientError, "retention.client-error");
		requireIfSet(serverError, "retention.server-error");
	}

	private static void requireIfSet(@Nullable Duration retention, String property) {
		if (retention != null) {
			requireRetention(retention, property, "1h");
		}
	}

}
