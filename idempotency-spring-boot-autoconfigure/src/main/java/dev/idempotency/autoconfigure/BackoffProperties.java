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

import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

/**
 * Settings of growing pauses between attempts.
 *
 * @param initial Pause before the second attempt at a failed task.
 * @param multiplier Factor by which the pause grows with each further attempt at a failed
 * task.
 * @param max Longest pause between two attempts at a failed task.
 */
public record BackoffProperties(@DefaultValue("10s") Duration initial, @DefaultValue("2") double multiplier,
		@DefaultValue("30m") Duration max) {

	static final BackoffProperties DEFAULTS = new BackoffProperties(Duration.ofSeconds(10), 2, Duration.ofMinutes(30));

	public void validate(String property) {
		requirePositive(this.initial, property + ".initial", "10s");
		require(this.multiplier >= 1 && this.multiplier <= 100, property + ".multiplier", this.multiplier,
				"Write a number from 1 to 100.");
		require(this.max.compareTo(this.initial) >= 0, property + ".max", this.max,
				"Write at least idempotency." + property + ".initial (" + this.initial + ").");
		requirePositive(this.max, property + ".max", "30m");
	}

}
