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
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.engine.operation.Reaction;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;
import static dev.idempotency.autoconfigure.PropertyRules.requireRetention;

/**
 * Properties under {@code idempotency} that all features share. Invalid values stop the
 * application.
 *
 * @param enabled Whether operations are protected. If false, annotated operations run
 * unprotected.
 * @param namespace Namespace of the keys, which separates applications that share a
 * database. Defaults to spring.application.name.
 * @param required Whether a request without a key is refused with 400.
 * @param scope Space within which a key is unique.
 * @param mode Mode in which protected operations are executed.
 * @param ttl Time that an answer is kept, counted from the moment it was stored.
 * @param retention Retention of answers by outcome.
 * @param anonymous Treatment of callers without an identity.
 * @param account Accounts of callers.
 * @param transactionManager Name of the transaction manager bean to use where there are
 * several and none is primary.
 * @param key Accepted format of keys.
 * @param inFlight Treatment of a duplicate that arrives during the first delivery.
 * @param lease Leases of operations in mode leased.
 * @param phase Requests in phases.
 * @param completer Settings of the completer, which completes abandoned requests.
 * @param outcome Selection of stored outcomes.
 * @param limits Limits of sizes and numbers.
 * @param secret Secrets of the digests in the table.
 * @param reaper Deletion of expired answers.
 * @param store Access to the store.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(@DefaultValue("true") boolean enabled, @Nullable String namespace,
		@DefaultValue("true") boolean required, @DefaultValue("account") DefaultScope scope,
		@DefaultValue("transactional") DefaultMode mode, @DefaultValue("24h") Duration ttl,
		@NestedConfigurationProperty RetentionProperties retention, @DefaultValue("reject") AnonymousAccess anonymous,
		Account account, @Nullable String transactionManager, Key key, InFlight inFlight, Lease lease,
		@NestedConfigurationProperty PhaseProperties phase, @NestedConfigurationProperty CompleterProperties completer,
		Outcome outcome, @NestedConfigurationProperty LimitsProperties limits,
		@NestedConfigurationProperty SecretProperties secret, @NestedConfigurationProperty ReaperProperties reaper,
		Store store) {

	/**
	 * A group of which nothing is set is not bound: Java 18 and newer compile a method
	 * handle for each parameter of each constructor that is called by reflection, which
	 * made this record a fifth of what the library adds to a start.
	 */
	public IdempotencyProperties {
		retention = Objects.requireNonNullElse(retention, RetentionProperties.DEFAULTS);
		account = Objects.requireNonNullElse(account, Account.DEFAULTS);
		key = Objects.requireNonNullElse(key, Key.DEFAULTS);
		inFlight = Objects.requireNonNullElse(inFlight, InFlight.DEFAULTS);
		lease = Objects.requireNonNullElse(lease, Lease.DEFAULTS);
		phase = Objects.requireNonNullElse(phase, PhaseProperties.DEFAULTS);
		completer = Objects.requireNonNullElse(completer, CompleterProperties.DEFAULTS);
		outcome = Objects.requireNonNullElse(outcome, Outcome.DEFAULTS);
		limits = Objects.requireNonNullElse(limits, LimitsProperties.DEFAULTS);
		secret = Objects.requireNonNullElse(secret, SecretProperties.DEFAULTS);
		reaper = Objects.requireNonNullElse(reaper, ReaperProperties.DEFAULTS);
		store = Objects.requireNonNullElse(store, Store.DEFAULTS);
		requireRetention(ttl, "ttl", "24h");
	}

	/**
	 * The name that separates applications sharing a database.
	 */
	public String namespaceIn(Environment environment) {
		return StringUtils.hasText(this.namespace) ? this.namespace
				: environment.getProperty("spring.application.name", "application");
	}

	/**
	 * Spring calls it for each bean. Java would compute it from all nested records, at
	 * start-up.
	 */
	@Override
	public int hashCode() {
		return this.ttl.hashCode();
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
	 * Access to the store.
	 *
	 * @param timeout Longest time that the database may take to decide whether a request
	 * may run.
	 */
	public record Store(@DefaultValue("5s") Duration timeout) {

		static final Store DEFAULTS = new Store(Duration.ofSeconds(5));

		public Store {
			requirePositive(timeout, "store.timeout", "5s");
			require(timeout.compareTo(Duration.ofHours(1)) <= 0, "store.timeout", timeout, "Write at most 1h.");
		}

	}

	/**
	 * Settings of the callers' accounts, under {@code idempotency.account}.
	 *
	 * @param includeIssuer Whether the issuer of a token or the login provider is part of
	 * an account. If false, equal names of two issuers are one account.
	 */
	public record Account(@DefaultValue("true") boolean includeIssuer) {

		static final Account DEFAULTS = new Account(true);

	}

	/**
	 * The accepted format of keys.
	 *
	 * @param minLength Smallest number of characters of a key.
	 * @param maxLength Largest number of characters of a key.
	 * @param minLengthAnonymous Smallest number of characters of a key of an anonymous
	 * caller, with idempotency.anonymous=share: a caller who guesses a key of that
	 * account gets its answer.
	 * @param pattern Regular expression that the whole key has to match. None by default.
	 */
	public record Key(@DefaultValue("1") int minLength, @DefaultValue("255") int maxLength,
			@DefaultValue("16") int minLengthAnonymous, @Nullable Pattern pattern) {

		static final Key DEFAULTS = new Key(1, 255, 16, null);

		public Key {
			require(minLength >= 1, "key.min-length", minLength, "Write a number from 1.");
			require(maxLength >= minLength && maxLength <= 4096, "key.max-length", maxLength,
					"Write a number from idempotency.key.min-length (" + minLength + ") to 4096.");
			require(minLengthAnonymous >= 1 && minLengthAnonymous <= 4096, "key.min-length-anonymous",
					minLengthAnonymous, "Write a number from 1 to 4096, such as 16.");
		}

	}

	/**
	 * The settings for a duplicate that arrives during the first delivery.
	 *
	 * @param policy Treatment of a duplicate that arrives during the first delivery:
	 * refuse it immediately, or let it wait for the answer.
	 * @param maxWait Longest time that a duplicate waits for the answer of the first
	 * delivery.
	 * @param formPolicy Treatment of a duplicate of a form, whose key is in a form field:
	 * refuse it immediately, or let it wait for the answer.
	 * @param retryAfter Delay in Retry-After, which a refused duplicate should wait
	 * before its retry.
	 */
	public record InFlight(@DefaultValue("reject") InFlightPolicy policy,
			@Name("wait") @DefaultValue("5s") Duration maxWait, @DefaultValue("wait") InFlightPolicy formPolicy,
			@DefaultValue("1s") Duration retryAfter) {

		static final InFlight DEFAULTS = new InFlight(InFlightPolicy.REJECT, Duration.ofSeconds(5), InFlightPolicy.WAIT,
				Duration.ofSeconds(1));

		public InFlight {
			requirePositive(maxWait, "in-flight.wait", "5s");
			requirePositive(retryAfter, "in-flight.retry-after", "1s");
		}

		public Duration formWait() {
			return (this.formPolicy == InFlightPolicy.WAIT) ? this.maxWait : Duration.ZERO;
		}

	}

	/**
	 * Settings of leases of operations in mode leased.
	 *
	 * @param duration Time that the lease of a running request is valid without a
	 * heartbeat.
	 * @param heartbeat Time between two extensions of the leases of this node.
	 * @param max Longest time that heartbeats keep the lease of a running request alive.
	 * @param onExpiry Treatment of a request after its lease has expired.
	 * @param unfencedWrites Reaction to a write of a leased operation outside Spring's
	 * transactions, to which the lease does not apply.
	 */
	public record Lease(@DefaultValue("30s") Duration duration, @DefaultValue("10s") Duration heartbeat,
			@DefaultValue("10m") Duration max, @DefaultValue("rerun") LeaseExpiry onExpiry,
			@DefaultValue("warn") Reaction unfencedWrites) {

		static final Lease DEFAULTS = new Lease(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofMinutes(10),
				LeaseExpiry.RERUN, Reaction.WARN);

		public Lease {
			requireRetention(duration, "lease.duration", "30s");
			requirePositive(heartbeat, "lease.heartbeat", "10s");
			require(heartbeat.multipliedBy(2).compareTo(duration) <= 0, "lease.heartbeat", heartbeat,
					"Write at most half of idempotency.lease.duration (" + duration + ").");
			requirePositive(max, "lease.max", "10m");
			require(max.compareTo(duration) >= 0, "lease.max", max,
					"Write at least idempotency.lease.duration (" + duration + ").");
		}

	}

}
