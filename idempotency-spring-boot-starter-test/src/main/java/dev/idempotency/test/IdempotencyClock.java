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
package dev.idempotency.test;

import java.time.Duration;

/**
 * The clock by which answers and claims live and end, for tests to move on: what expires
 * in a day is tested at once.
 * <p>
 * The effect depends on the store. The store in memory has a dedicated clock, which moves
 * on. A database's clock cannot be set, and must not be: there, all times that are stored
 * of answers and of unfinished requests move back, so that everything that is stored at
 * this moment is older by that time, and what is stored later is not. Both come to the
 * same for a test that stores, lets time pass, and sends again.
 * <p>
 * Other clocks do not move: not the application's {@link java.time.Clock}, not the
 * schedule of the completer and the reaper, not the times of staged jobs, and not the
 * caches ({@code idempotency.cache.*}, off by default): an answer that was replayed from
 * a cache lives there as long as it would have lived.
 */
public interface IdempotencyClock {

	/**
	 * Advances the time for all that is stored. In the transaction of the calling thread,
	 * if there is one.
	 * @param time the time to pass
	 * @throws IllegalArgumentException if it is negative
	 */
	void pass(Duration time);

	/**
	 * Time does not go back.
	 * @param time the time to pass
	 * @throws IllegalArgumentException if it is negative
	 */
	static void requireNotNegative(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("The time to pass must not be negative [" + time + "]");
		}
	}

}
