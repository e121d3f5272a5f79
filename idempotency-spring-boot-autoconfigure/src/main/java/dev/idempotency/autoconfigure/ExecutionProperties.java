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
import org.springframework.util.unit.DataSize;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.CommitFailure;
import dev.idempotency.engine.EngineSettings;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.UnfinishedStore.Backoff;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireBetween;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;
import static dev.idempotency.autoconfigure.PropertyRules.requireSize;
import static dev.idempotency.autoconfigure.PropertyRules.requireZeroOrMore;

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
 * @param codec Format of stored responses.
 */
@ConfigurationProperties("idempotency")
public record ExecutionProperties(Retention retention, InFlight inFlight, Lease lease, Phase phase, Completer completer,
		Outcome outcome, Limits limits, Reaper reaper, @NestedConfigurationProperty CodecProperties codec) {

	/**
	 * Largest content of steps, jobs and events, which have no other limit.
	 */
	private static final int MAX_CONTENT = 16 * 1024 * 1024;

	/**
	 * Allowance for headers and metadata on top of a body.
	 */
	private static final int HEADERS = 1024 * 1024;

	public ExecutionProperties {
		retention = Objects.requireNonNullElse(retention, Retention.DEFAULTS);
		inFlight = Objects.requireNonNullElse(inFlight, InFlight.DEFAULTS);
		lease = Objects.requireNonNullElse(lease, Lease.DEFAULTS);
		phase = Objects.requireNonNullElse(phase, Phase.DEFAULTS);
		completer = Objects.requireNonNullElse(completer, Completer.DEFAULTS);
		outcome = Objects.requireNonNullElse(outcome, Outcome.DEFAULTS);
		limits = Objects.requireNonNullElse(limits, Limits.DEFAULTS);
		reaper = Objects.requireNonNullElse(reaper, Reaper.DEFAULTS);
		codec = Objects.requireNonNullElse(codec, CodecProperties.DEFAULTS);
	}

	/**
	 * Returns the longest time that a duplicate waits for the first delivery.
	 * @return the time, whether or not duplicates of HTTP requests wait
	 */
	public Duration longestWait() {
		return this.inFlight.maxWait();
	}

	/**
	 * Returns the time that a lease is valid without a heartbeat.
	 * @return the time
	 */
	public Duration leaseDuration() {
		return this.lease.duration();
	}

	/**
	 * Returns the treatment of a request after its lease has expired.
	 * @return the default of all operations
	 */
	public LeaseExpiry leaseExpiry() {
		return this.lease.onExpiry();
	}

	/**
	 * Returns whether requests are stored for the completer.
	 * @return whether it is enabled
	 */
	public boolean completes() {
		return this.completer.enabled();
	}

	/**
	 * Returns the schedule of the completer.
	 * @return the times between searches and attempts
	 */
	public IdempotencyCompleter.Schedule completerSchedule() {
		return this.completer.toSchedule();
	}

	/**
	 * Returns the size limit of request bodies.
	 * @return the limit in bytes
	 */
	public int maxRequestBody() {
		return Math.toIntExact(this.limits.maxRequestBody().toBytes());
	}

	/**
	 * Returns the size limit of stored response bodies.
	 * @return the limit in bytes
	 */
	public int maxResponseBody() {
		return Math.toIntExact(this.limits.maxResponseBody().toBytes());
	}

	EngineSettings toEngineSettings() {
		return new EngineSettings(
				(this.inFlight.policy() == InFlight.Policy.WAIT) ? this.inFlight.maxWait() : Duration.ZERO,
				this.phase.isolation(), Phase.RETRY, new EngineSettings.Lease(this.lease.duration(), this.lease.max(),
						this.lease.onExpiry(), this.completer.maxAttempts(), this.limits.toLeaseLimits()));
	}

	/**
	 * Creates the codec. Its limit is large enough for everything that the other limits
	 * let through.
	 */
	ResponseCodec toCodec() {
		long largest = Math.max(maxRequestBody(), maxResponseBody());
		return this.codec.toCodec((int) Math.min(Math.max(MAX_CONTENT, largest + HEADERS), Integer.MAX_VALUE - 16));
	}

	/**
	 * Settings of stored outcomes.
	 *
	 * @param storeServerErrors Whether 5xx responses are final and replayed, as Stripe
	 * does.
	 */
	record Outcome(@DefaultValue("false") boolean storeServerErrors) {

		static final Outcome DEFAULTS = new Outcome(false);

	}

	/**
	 * The settings for a duplicate that arrives during the first delivery.
	 *
	 * @param policy Treatment of a duplicate that arrives during the first delivery:
	 * refuse it immediately, or let it wait for the answer. A duplicate of an HTML form
	 * always waits.
	 * @param maxWait Longest time that a duplicate waits for the answer of the first
	 * delivery. A duplicate of a Kafka message is then polled again; a duplicate of a
	 * RabbitMQ message waits until the first delivery has ended.
	 */
	record InFlight(@DefaultValue("reject") Policy policy, @Name("wait") @DefaultValue("5s") Duration maxWait) {

		static final InFlight DEFAULTS = new InFlight(Policy.REJECT, Duration.ofSeconds(5));

		/**
		 * Limits the time, since a consumer that waits does not poll.
		 */
		InFlight {
			requireBetween(maxWait, Duration.ofMillis(1), Duration.ofMinutes(5), "in-flight.wait",
					"Write a duration from 1ms to 5m, such as 5s.");
		}

		/**
		 * The handling of a duplicate during the first delivery.
		 */
		enum Policy {

			/**
			 * The duplicate is refused immediately with 409.
			 */
			REJECT,

			/**
			 * The duplicate waits for the answer for a bounded time, without holding a
			 * connection, and is then refused with 409.
			 */
			WAIT

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
	record Lease(@DefaultValue("30s") Duration duration, @DefaultValue("10m") Duration max,
			@DefaultValue("rerun") LeaseExpiry onExpiry) {

		static final Lease DEFAULTS = new Lease(Duration.ofSeconds(30), Duration.ofMinutes(10), LeaseExpiry.RERUN);

		Lease {
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
	record Retention(@Nullable Duration clientError) {

		static final Retention DEFAULTS = new Retention(null);

		Retention {
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
	record Phase(@DefaultValue("serializable") Isolation isolation) {

		static final Phase DEFAULTS = new Phase(Isolation.SERIALIZABLE);

		/**
		 * The retries of a phase that could not be serialised, or that was a deadlock's
		 * victim, before the caller is asked to retry later. A conflict is over when the
		 * other transaction has ended.
		 */
		private static final RetryPolicy RETRY = RetryPolicy.builder()
			.maxRetries(10)
			.delay(Duration.ofMillis(10))
			.multiplier(2)
			.maxDelay(Duration.ofMillis(500))
			.jitter(Duration.ofMillis(10))
			.predicate(CommitFailure::isConflict)
			.build();

	}

	/**
	 * Settings of the completer, which completes abandoned requests.
	 *
	 * @param enabled Whether the requests of this application are stored, so that
	 * abandoned ones can be completed. The same on all nodes.
	 * @param authority Authority with which a request is completed: current, only if the
	 * sender is a user who has exactly the authorities of then, or stored, with the
	 * authorities of then also for senders who cannot be loaded, such as the bearers of
	 * tokens. A role that was revoked from these meanwhile is not seen.
	 * @param interval Time between two searches for abandoned requests. Also the pause
	 * before the second attempt at one, doubled for each further attempt, up to 180 times
	 * this time.
	 * @param after Time that a request is left to its sender after its lease has expired.
	 * @param maxAttempts Maximum number of attempts at a request before it needs manual
	 * resolution.
	 * @param threads Number of abandoned requests that this node completes at the same
	 * time, 0 to leave them to other nodes.
	 */
	record Completer(@DefaultValue("true") boolean enabled, @DefaultValue("current") Authority authority,
			@DefaultValue("10s") Duration interval, @DefaultValue("5m") Duration after,
			@DefaultValue("12") int maxAttempts, @DefaultValue("2") int threads) {

		/**
		 * The longest pause between two attempts, in intervals: half an hour by default.
		 */
		private static final int LONGEST_PAUSE = 180;

		static final Completer DEFAULTS = new Completer(true, Authority.CURRENT, Duration.ofSeconds(10),
				Duration.ofMinutes(5), 12, 2);

		Completer {
			requireBetween(interval, Duration.ofMillis(1), Duration.ofHours(1), "completer.interval",
					"Write a duration from 1ms to 1h, such as 10s.");
			requireZeroOrMore(after, "completer.after", "5m");
			require(maxAttempts >= 1 && maxAttempts <= 1000, "completer.max-attempts", maxAttempts,
					"Write a number from 1 to 1000.");
			require(threads >= 0 && threads <= 64, "completer.threads", threads, "Write a number from 0 to 64.");
		}

		IdempotencyCompleter.Schedule toSchedule() {
			return new IdempotencyCompleter.Schedule(this.interval, this.after, this.maxAttempts, this.threads,
					new Backoff(this.interval, this.interval.multipliedBy(LONGEST_PAUSE)));
		}

		/**
		 * The authority with which a request is completed.
		 */
		enum Authority {

			/**
			 * The authorities of then, if the sender has exactly these now.
			 */
			CURRENT,

			/**
			 * The authorities of then, also for senders who cannot be loaded.
			 */
			STORED

		}

	}

	/**
	 * Limits of sizes and numbers.
	 *
	 * @param maxRequestBody Largest request body of a protected operation; larger ones
	 * get a 413. Multipart bodies are subject to the container's limit.
	 * @param maxResponseBody Largest response body that is stored; of larger ones only
	 * the first caller gets the body.
	 * @param maxOpenRequests Largest number of LEASED requests of one account that run or
	 * wait for another attempt; further ones get a 429. 0 for any number.
	 * @param maxStuckRequests Largest number of LEASED requests of one account that need
	 * manual resolution; a new one gets a 429. 0 for any number.
	 */
	record Limits(@DefaultValue("1MB") DataSize maxRequestBody, @DefaultValue("1MB") DataSize maxResponseBody,
			@DefaultValue("1000") int maxOpenRequests, @DefaultValue("100") int maxStuckRequests) {

		static final Limits DEFAULTS = new Limits(DataSize.ofMegabytes(1), DataSize.ofMegabytes(1), 1000, 100);

		Limits {
			requireSize(maxRequestBody, "limits.max-request-body", "1MB");
			requireSize(maxResponseBody, "limits.max-response-body", "1MB");
			require(maxOpenRequests >= 0, "limits.max-open-requests", maxOpenRequests,
					"Write a number such as 1000, or 0 for any number.");
			require(maxStuckRequests >= 0, "limits.max-stuck-requests", maxStuckRequests,
					"Write a number such as 100, or 0 for any number.");
		}

		LeaseLimits toLeaseLimits() {
			return new LeaseLimits(this.maxOpenRequests, this.maxStuckRequests);
		}

	}

	/**
	 * Settings of the reaper, which deletes expired answers.
	 *
	 * @param enabled Whether this node deletes expired answers.
	 * @param interval Time between two runs of the reaper.
	 * @param keepUnfinished Time that an unfinished request is left to its sender before
	 * it needs manual resolution.
	 * @param keepStuckRequests Time that the content of a request is kept after it is
	 * found to need manual resolution. The request itself stays, with the results of its
	 * steps.
	 */
	record Reaper(@DefaultValue("true") boolean enabled, @DefaultValue("1m") Duration interval,
			@DefaultValue("24h") Duration keepUnfinished, @DefaultValue("30d") Duration keepStuckRequests) {

		static final Reaper DEFAULTS = new Reaper(true, Duration.ofMinutes(1), Duration.ofHours(24),
				Duration.ofDays(30));

		Reaper {
			requirePositive(interval, "reaper.interval", "1m");
			requirePositive(keepUnfinished, "reaper.keep-unfinished", "24h");
			requirePositive(keepStuckRequests, "reaper.keep-stuck-requests", "30d");
		}

	}

}
