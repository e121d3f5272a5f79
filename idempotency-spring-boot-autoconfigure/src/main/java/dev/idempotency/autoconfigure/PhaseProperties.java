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
import java.util.Objects;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.engine.transaction.CommitFailure;

import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of requests in phases.
 *
 * @param isolation Isolation level of the transaction of a phase.
 * @param retry Retries of a phase that could not be serialised with others.
 */
record PhaseProperties(@DefaultValue("serializable") Isolation isolation, Retry retry) {

	static final PhaseProperties DEFAULTS = new PhaseProperties(Isolation.SERIALIZABLE, Retry.DEFAULTS);

	/**
	 * Pause before the first retry, doubled for each further one: a conflict is over when
	 * the other transaction has ended.
	 */
	private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

	public PhaseProperties {
		retry = Objects.requireNonNullElse(retry, Retry.DEFAULTS);
	}

	EngineSettings.Phases toSettings() {
		return new EngineSettings.Phases(this.isolation,
				RetryPolicy.builder()
					.maxRetries(this.retry.maxAttempts())
					.delay(FIRST_PAUSE)
					.multiplier(2)
					.maxDelay(LONGEST_PAUSE)
					.jitter(FIRST_PAUSE)
					.predicate(CommitFailure::isConflict)
					.build());
	}

	/**
	 * Retries of a phase that could not be serialised, or that was a deadlock's victim.
	 *
	 * @param maxAttempts Maximum number of retries of a phase before the caller is asked
	 * to retry later.
	 */
	public record Retry(@DefaultValue("10") int maxAttempts) {

		static final Retry DEFAULTS = new Retry(10);

		public Retry {
			require(maxAttempts >= 0 && maxAttempts <= 1000, "phase.retry.max-attempts", maxAttempts,
					"Write a number from 0 to 1000.");
		}

	}

}
