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

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * The limit of a list.
 */
final class Limit {

	static final int DEFAULT = 100;

	static final int MAX = 1000;

	private Limit() {
	}

	static int of(@Nullable Integer limit) {
		if (limit == null) {
			return DEFAULT;
		}
		if (limit < 1 || limit > MAX) {
			String reason = "The limit must be a number from 1 to " + MAX;
			throw new InvalidEndpointRequestException(reason, reason);
		}
		return limit;
	}

}
