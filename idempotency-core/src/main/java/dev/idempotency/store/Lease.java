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

import org.jspecify.annotations.Nullable;

/**
 * A claim that is visible to all nodes, for a bounded time.
 *
 * @param identity the claimed identity
 * @param fence a random number that no other claim ever has, not even in a database that
 * was restored. Each change of the claim requires it, so that an owner that was paused
 * past its lease changes nothing
 */
public record Lease(Identity identity, long fence) {

	/**
	 * The progress of a claimed request.
	 *
	 * @param attempts the number of times that it was claimed, including the last
	 * @param recoveryPoint the last completed step, {@code null} if there is none
	 * @param steps the results of all steps, encoded; {@code null} if there are none
	 */
	public record Progress(int attempts, @Nullable String recoveryPoint, byte @Nullable [] steps) {
	}

}
