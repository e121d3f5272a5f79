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
 * The clock by which responses and claims expire, which tests can advance: an expiry
 * after a day is tested immediately.
 * <p>
 * The effect depends on the store. The store in memory has a dedicated clock, which moves
 * forward. A database's clock cannot be set: there, all stored times of responses and
 * unfinished requests move back, so that all stored data is older by that time. Both have
 * the same effect for a test that sends, lets time pass, and sends again.
 * <p>
 * Other clocks do not move: the application's {@link java.time.Clock}, the schedules of
 * the completer and the reaper, the times of staged jobs, and the caches
 * ({@code idempotency.cache.*}, off by default), whose entries keep their expiry.
 */
public interface IdempotencyClock {

	/**
	 * Advances the time for all stored data, in the transaction of the calling thread if
	 * there is one.
	 * @param time the time to pass
	 * @throws IllegalArgumentException if it is negative
	 */
	void pass(Duration time);

}
