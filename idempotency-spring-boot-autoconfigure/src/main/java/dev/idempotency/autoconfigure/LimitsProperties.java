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

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

import dev.idempotency.store.LeaseRequest.LeaseLimits;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireSize;

/**
 * Limits of sizes and numbers.
 *
 * @param maxRequestBody Largest request body of a protected operation; larger ones get a
 * 413. Multipart bodies are subject to the container's limit.
 * @param maxResponseBody Largest response body that is stored; of larger ones only the
 * first caller gets the body.
 * @param maxOpenRequests Largest number of LEASED requests of one account that run or
 * wait for another attempt; further ones get a 429. 0 for any number.
 * @param maxStuckRequests Largest number of LEASED requests of one account that need
 * manual resolution; a new one gets a 429. 0 for any number.
 */
public record LimitsProperties(@DefaultValue("1MB") DataSize maxRequestBody,
		@DefaultValue("1MB") DataSize maxResponseBody, @DefaultValue("1000") int maxOpenRequests,
		@DefaultValue("100") int maxStuckRequests) {

	static final LimitsProperties DEFAULTS = new LimitsProperties(DataSize.ofMegabytes(1), DataSize.ofMegabytes(1),
			1000, 100);

	public LimitsProperties {
		requireSize(maxRequestBody, "limits.max-request-body", "1MB");
		requireSize(maxResponseBody, "limits.max-response-body", "1MB");
		require(maxOpenRequests >= 0, "limits.max-open-requests", maxOpenRequests,
				"Write a number such as 1000, or 0 for any number.");
		require(maxStuckRequests >= 0, "limits.max-stuck-requests", maxStuckRequests,
				"Write a number such as 100, or 0 for any number.");
	}

	LeaseLimits toLeaseLimits() {
		return new LeaseLimits(this.maxOpenRequests, this.maxStuckRequests);
	}

}
