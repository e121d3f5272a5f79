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
package dev.idempotency.engine.operation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.core.retry.RetryPolicy;
import org.springframework.transaction.annotation.Isolation;

/**
 * Settings of the engine.
 *
 * @param retention the retention of answers by outcome
 * @param inFlight the handling of duplicates of a running call
 * @param phases the settings of phases
 */
public record EngineSettings(Retention retention, InFlight inFlight, Phases phases) {

	/**
	 * The settings for a duplicate that arrives during the first delivery.
	 *
	 * @param maxWait the time that it waits for the answer, zero to be refused at once
	 */
	public record InFlight(Duration maxWait) {

		/**
		 * Returns the delay after which a refused duplicate may be sent again.
		 * @return one second
		 */
		public Duration retryAfter() {
			return Duration.ofSeconds(1);
		}

	}

	/**
	 * The retention of errors of the client. It shortens the time to live of an operation
	 * and never makes it longer.
	 *
	 * @param clientError the longest retention of an answer with a 4xx status,
	 * {@code null} for as long as any
	 */
	public record Retention(@Nullable Duration clientError) {

		/**
		 * Returns the retention of an answer.
		 * @param status its status, 0 for the return value of a bean
		 * @param ttl the time to live of the operation
		 * @return a positive duration
		 */
		public Duration of(int status, Duration ttl) {
			return (status / 100 == 4) ? shorter(this.clientError, ttl) : ttl;
		}

		private static Duration shorter(@Nullable Duration most, Duration ttl) {
			return (most != null && most.compareTo(ttl) < 0) ? most : ttl;
		}

	}

	/**
	 * Settings of phases.
	 *
	 * @param isolation the default isolation of their transactions
	 * @param retry the retries of a phase that could not be serialised
	 */
	public record Phases(Isolation isolation, RetryPolicy retry) {
	}

}
