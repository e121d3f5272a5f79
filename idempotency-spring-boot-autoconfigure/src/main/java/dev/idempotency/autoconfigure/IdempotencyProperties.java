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

import java.util.Objects;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.account.AnonymousAccess;

import static dev.idempotency.autoconfigure.PropertyRules.TEN_YEARS;
import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

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
		@NestedConfigurationProperty AccountProperties account, @Nullable String transactionManager,
		@NestedConfigurationProperty KeyProperties key, @NestedConfigurationProperty InFlightProperties inFlight,
		@NestedConfigurationProperty LeaseProperties lease, @NestedConfigurationProperty PhaseProperties phase,
		@NestedConfigurationProperty CompleterProperties completer, Outcome outcome,
		@NestedConfigurationProperty LimitsProperties limits, @NestedConfigurationProperty SecretProperties secret,
		@NestedConfigurationProperty ReaperProperties reaper, Store store) {

	/**
	 * A group of which nothing is set is not bound: Java 18 and newer compile a method
	 * handle for each parameter of each constructor that is called by reflection, which
	 * made this record a fifth of what the library adds to a start.
	 */
	public IdempotencyProperties {
		retention = Objects.requireNonNullElse(retention, RetentionProperties.DEFAULTS);
		account = Objects.requireNonNullElse(account, AccountProperties.DEFAULTS);
		key = Objects.requireNonNullElse(key, KeyProperties.DEFAULTS);
		inFlight = Objects.requireNonNullElse(inFlight, InFlightProperties.DEFAULTS);
		lease = Objects.requireNonNullElse(lease, LeaseProperties.DEFAULTS);
		phase = Objects.requireNonNullElse(phase, PhaseProperties.DEFAULTS);
		completer = Objects.requireNonNullElse(completer, CompleterProperties.DEFAULTS);
		outcome = Objects.requireNonNullElse(outcome, Outcome.DEFAULTS);
		limits = Objects.requireNonNullElse(limits, LimitsProperties.DEFAULTS);
		secret = Objects.requireNonNullElse(secret, SecretProperties.DEFAULTS);
		reaper = Objects.requireNonNullElse(reaper, ReaperProperties.DEFAULTS);
		store = Objects.requireNonNullElse(store, Store.DEFAULTS);
		requirePositive(ttl, "ttl", "24h");
		require(ttl.compareTo(TEN_YEARS) <= 0, "ttl", ttl, "Write at most 3650d.");
	}

	/**
	 * Spring asks each bean for it. Java would make one of all nested records, at
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

}
