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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Numbers of records and of unfinished requests. Requests are counted up to
 * {@value #COUNTED} that are stuck and as many others: that number means as many or more,
 * and the oldest is one of those that were counted, or of those that are stuck.
 *
 * @param records the approximate number of stored answers, as estimated by the database,
 * including expired ones and those of other applications that share the tables
 * @param running the number of requests that are running under a lease
 * @param waiting the number that may be tried again
 * @param stuck the number that needs manual resolution
 * @param oldest the oldest request without an answer, {@code null} if there is none
 */
public record Overview(long records, int running, int waiting, int stuck, @Nullable Oldest oldest) {

	/**
	 * Greatest number of stuck requests, and of others, that are counted.
	 */
	public static final int COUNTED = 10_000;

	/**
	 * The oldest request without an answer.
	 *
	 * @param age the time since it was first claimed
	 * @param operation the operation's name
	 */
	public record Oldest(Duration age, String operation) {
	}

}
