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
package dev.idempotency.provider;

import java.time.Duration;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/**
 * Simulated faults of the provider.
 *
 * @param mode the treatment of every request
 * @param failureRate the share of requests that fail at random, from 0 to 1: half of them
 * as {@link Mode#UNAVAILABLE}, half as {@link Mode#FAIL_AFTER_CHARGE}
 * @param latency the time that every request waits before it is processed, at most ten
 * minutes
 */
public record Faults(@JsonProperty("mode") Mode mode,
		@JsonProperty("failureRate") @DecimalMin("0") @DecimalMax("1") double failureRate,
		@JsonProperty("latency") @DurationMin @DurationMax(minutes = 10) Duration latency) {

	/**
	 * Reads the faults from JSON, where a missing fault is off.
	 * @param mode the treatment of every request
	 * @param failureRate the share of requests that fail
	 * @param latency the time that every request waits, such as {@code PT0.5S}
	 * @return the faults
	 */
	@JsonCreator
	static Faults of(@JsonProperty("mode") @Nullable Mode mode,
			@JsonProperty("failureRate") @Nullable Double failureRate,
			@JsonProperty("latency") @Nullable Duration latency) {
		return new Faults((mode != null) ? mode : Mode.NONE, (failureRate != null) ? failureRate : 0,
				(latency != null) ? latency : Duration.ZERO);
	}

	/**
	 * Returns the treatment of a request for a number between 0 and 1.
	 * @param dice a number from 0 to less than 1
	 */
	Mode decide(double dice) {
		if (this.mode != Mode.NONE || dice >= this.failureRate) {
			return this.mode;
		}
		return (dice < this.failureRate / 2) ? Mode.UNAVAILABLE : Mode.FAIL_AFTER_CHARGE;
	}

	/**
	 * The treatment of a request.
	 */
	public enum Mode {

		/**
		 * The request is answered.
		 */
		@JsonProperty("none")
		NONE,

		/**
		 * The request gets a 503, and nothing is done.
		 */
		@JsonProperty("unavailable")
		UNAVAILABLE,

		/**
		 * The request is executed, and the connection is closed instead of an answer. A
		 * retry with the same key gets the answer, once the fault is switched off.
		 */
		@JsonProperty("fail-after-charge")
		FAIL_AFTER_CHARGE

	}

}
