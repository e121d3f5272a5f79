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

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.engine.transaction.CommitFailure;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireBetween;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

/**
 * Properties under {@code idempotency} of the execution of requests. Invalid values stop
 * the application.
 *
 * @param retention Retention of errors of the client.
 * @param inFlight Treatment of a duplicate that arrives during the first delivery.
 * @param lease Leases of operations in mode leased.
 * @param phase Requests in phases.
 * @param completer Settings of the completer, which completes abandoned requests.
 * @param outcome Selection of stored outcomes.
 * @param limits Limits of sizes and numbers.
 * @param reaper Deletion of expired answers.
 */
@ConfigurationProperties("idempotency")
public record ExecutionProperties(Retention retention, InFlight inFlight, Lease lease, Phase phase,
		@NestedConfigurationProperty CompleterProperties completer, Outcome outcome,
		@NestedConfigurationProperty LimitsProperties limits, @NestedConfigurationProperty ReaperProperties reaper) {

	public ExecutionProperties {
		retention = Objects.requireNonNullElse(retention, Retention.DEFAULTS);
		inFlight = Objects.requireNonNullElse(inFlight, InFlight.DEFAULTS);
		lease = Objects.requireNonNullElse(lease, Lease.DEFAULTS);
		phase = Objects.requireNonNullElse(phase, Phase.DEFAULTS);
		completer = Objects.requireNonNullElse(completer, CompleterProperties.DEFAULTS);
		outcome = Objects.requireNonNullElse(outcome, Outcome.DEFAULTS);
		limits = Objects.requireNonNullElse(limits, LimitsProperties.DEFAULTS);
		reaper = Objects.requireNonNullElse(reaper, ReaperProperties.DEFAULTS);
	}

	EngineSettings toEngineSettings() {
		return new EngineSettings(new EngineSettings.Retention(this.retention.clientError()),
				this.inFlight.toSettings(), this.phase.toSettings());
	}

	/**
	 * Settings of stored outcomes.
	 *
	 * @param storeServerErrors Whether 5xx responses are final and replayed, as Stripe
	 * does.
	 */
	public record Outcome(@DefaultValue("false") boolean storeServerErrors) {

		static final Outcome DEFAULTS = new Outcome(false);

	}

	/**
	 * The settings for a duplicate that arrives during the first delivery.
	 *
	 * @param policy Treatment of a duplicate that arrives during the first delivery:
	 * refuse it immediately, or let it wait for the answer. A duplicate of an HTML form
	 * always waits.
	 * @param maxWait Longest time that a duplicate waits for the answer of the first
	 * delivery. A duplicate of a Kafka message is then polled again; that of a RabbitMQ
	 * message waits until the first delivery has ended.
	 */
	public record InFlight(@DefaultValue("reject") InFlightPolicy policy,
			@Name("wait") @DefaultValue("5s") Duration maxWait) {

		static final InFlight DEFAULTS = new InFlight(InFlightPolicy.REJECT, Duration.ofSeconds(5));

		/**
		 * Limits the time, since a consumer that waits does not poll.
		 */
		public InFlight {
			requireBetween(maxWait, Duration.ofMillis(1), Duration.ofMinutes(5), "in-flight.wait",
					"Write a duration from 1ms to 5m, such as 5s.");
		}

		EngineSettings.InFlight toSettings() {
			return new EngineSettings.InFlight((this.policy == InFlightPolicy.WAIT) ? this.maxWait : Duration.ZERO);
		}

	}

	/**
	 * Settings of leases of operations in mode leased.
	 *
	 * @param duration Time that the lease of a running request is valid without a
	 * heartbeat, which comes after each third of it. Also the time between two heartbeats
	 * of a running job.
	 * @param max Longest time that heartbeats keep the lease of a running request alive.
	 * @param onExpiry Treatment of a request after its lease has expired.
	 */
	public record Lease(@DefaultValue("30s") Duration duration, @DefaultValue("10m") Duration max,
			@DefaultValue("rerun") LeaseExpiry onExpiry) {

		static final Lease DEFAULTS = new Lease(Duration.ofSeconds(30), Duration.ofMinutes(10), LeaseExpiry.RERUN);

		public Lease {
			requirePositive(duration, "lease.duration", "30s");
			requirePositive(max, "lease.max", "10m");
			require(max.compareTo(duration) >= 0, "lease.max", max,
					"Write at least idempotency.lease.duration (" + duration + ").");
		}

	}

	/**
	 * The retention of errors of the client, where it is shorter than the time to live of
	 * the operation.
	 *
	 * @param clientError Longest time that a 4xx answer is kept. The ttl of the operation
	 * if not set.
	 */
	public record Retention(@Nullable Duration clientError) {

		static final Retention DEFAULTS = new Retention(null);

		public Retention {
			if (clientError != null) {
				requirePositive(clientError, "retention.client-error", "1h");
			}
		}

	}

	/**
	 * Settings of requests in phases.
	 *
	 * @param isolation Isolation level of the transaction of a phase.
	 */
	public record Phase(@DefaultValue("serializable") Isolation isolation) {

		static final Phase DEFAULTS = new Phase(Isolation.SERIALIZABLE);

		/**
		 * Number of retries of a phase that could not be serialised, or that was a
		 * deadlock's victim, before the caller is asked to retry later.
		 */
		private static final int RETRIES = 10;

		/**
		 * Pause before the first retry, doubled for each further one: a conflict is over
		 * when the other transaction has ended.
		 */
		private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

		private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

		EngineSettings.Phases toSettings() {
			return new EngineSettings.Phases(this.isolation,
					RetryPolicy.builder()
						.maxRetries(RETRIES)
						.delay(FIRST_PAUSE)
						.multiplier(2)
						.maxDelay(LONGEST_PAUSE)
						.jitter(FIRST_PAUSE)
						.predicate(CommitFailure::isConflict)
						.build());
		}

	}

}
