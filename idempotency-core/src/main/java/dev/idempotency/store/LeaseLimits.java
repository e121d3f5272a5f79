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
package dev.idempotency.store;

import org.springframework.util.Assert;

/**
 * Largest numbers of unfinished requests of one account in one application. Claims do not
 * wait for one another, so parallel claims may exceed a limit by as many as run at the
 * same time.
 *
 * @param maxOpen largest number of requests that run under a lease or wait for another
 * attempt, 0 for any number
 * @param maxStuck largest number of requests that need manual resolution, 0 for any
 * number
 */
public record LeaseLimits(int maxOpen, int maxStuck) {

	/**
	 * Any number of requests.
	 */
	public static final LeaseLimits NONE = new LeaseLimits(0, 0);

	/**
	 * Creates limits.
	 * @throws IllegalArgumentException if a number is negative
	 */
	public LeaseLimits {
		Assert.isTrue(maxOpen >= 0 && maxStuck >= 0, "A limit must not be negative");
	}

	/**
	 * Returns whether one more request is within the limits.
	 * @param open the requests that run or wait
	 * @param stuck the requests that need manual resolution
	 * @return {@code false} if one of the limits is reached
	 */
	public boolean allow(long open, long stuck) {
		return (this.maxOpen == 0 || open < this.maxOpen) && (this.maxStuck == 0 || stuck < this.maxStuck);
	}

}
