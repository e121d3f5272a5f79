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
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.engine.OperationFactory;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

/**
 * Properties under {@code idempotency} of operations and their callers, that all features
 * share. Invalid values stop the application.
 *
 * @param namespace Namespace of the keys, which separates applications that share a
 * database. Defaults to spring.application.name.
 * @param required Whether a request without a key is refused with 400.
 * @param scope Space within which a key is unique.
 * @param mode Mode in which protected operations are executed.
 * @param ttl Time that an answer is kept, counted from the moment it was stored.
 * @param anonymous Treatment of callers without an identity. With share they are one
 * account, which has one set of limits: any of them can use it up.
 * @param transactionManager Name of the transaction manager bean to use where there are
 * several and none is primary.
 * @param key Accepted format of keys.
 * @param secret Secrets of the digests in the table.
 * @param store Access to the store.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(@Nullable String namespace, @DefaultValue("true") boolean required,
		@DefaultValue("account") DefaultScope scope, @DefaultValue("transactional") DefaultMode mode,
		@DefaultValue("24h") Duration ttl, @DefaultValue("reject") AnonymousAccess anonymous,
		@Nullable String transactionManager, Key key, @NestedConfigurationProperty SecretProperties secret,
		Store store) {

	/**
	 * Groups without a configured property are not bound, and half of the properties are
	 * in another record: since Java 18, a constructor that is called by reflection has a
	 * compiled method handle for each parameter, and more of them the more types it has.
	 */
	public IdempotencyProperties {
		key = Objects.requireNonNullElse(key, Key.DEFAULTS);
		secret = Objects.requireNonNullElse(secret, SecretProperties.DEFAULTS);
		store = Objects.requireNonNullElse(store, Store.DEFAULTS);
		requirePositive(ttl, "ttl", "24h");
	}

	/**
	 * Returns the namespace, which separates applications that share a database.
	 */
	public String namespaceIn(Environment environment) {
		String given = givenNamespace(environment);
		return (given != null) ? given : "application";
	}

	/**
	 * Returns the namespace that the application has given, {@code null} if it has none:
	 * then every application without a name has the same.
	 */
	@Nullable String givenNamespace(Environment environment) {
		return Stream.of(this.namespace, environment.getProperty("spring.application.name"))
			.filter(StringUtils::hasText)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns the pattern that keys have to match.
	 * @return the pattern, {@code null} for any key
	 */
	public @Nullable Pattern keyPattern() {
		return this.key.pattern();
	}

	/**
	 * Returns the longest time that the database may take to decide about a request.
	 * @return the time
	 */
	public Duration storeTimeout() {
		return this.store.timeout();
	}

	OperationFactory.Defaults toDefaults(ExecutionProperties.Retention retention) {
		return new OperationFactory.Defaults(Scope.valueOf(this.scope.name()), Mode.valueOf(this.mode.name()),
				this.required, this.ttl, retention.clientError());
	}

	/**
	 * The accepted format of keys.
	 *
	 * @param minLengthAnonymous Smallest number of characters of a key of an anonymous
	 * caller, with idempotency.anonymous=share: a caller who guesses a key of that
	 * account gets its answer.
	 * @param pattern Regular expression that the whole key has to match. None by default.
	 */
	record Key(@DefaultValue("16") int minLengthAnonymous, @Nullable Pattern pattern) {

		static final Key DEFAULTS = new Key(16, null);

		Key {
			require(minLengthAnonymous >= 1 && minLengthAnonymous <= 255, "key.min-length-anonymous",
					minLengthAnonymous, "Write a number from 1 to 255, such as 16.");
		}

	}

	/**
	 * Access to the store.
	 *
	 * @param timeout Longest time that the database may take to decide whether a request
	 * may run.
	 */
	record Store(@DefaultValue("5s") Duration timeout) {

		static final Store DEFAULTS = new Store(Duration.ofSeconds(5));

		Store {
			requirePositive(timeout, "store.timeout", "5s");
			require(timeout.compareTo(Duration.ofHours(1)) <= 0, "store.timeout", timeout, "Write at most 1h.");
		}

	}

	/**
	 * Values of the property {@code idempotency.scope}: the scopes that have no other
	 * attribute. A resource is named in the annotation.
	 */
	enum DefaultScope {

		/**
		 * One key for one request on all endpoints of an account.
		 */
		ACCOUNT,

		/**
		 * Keys of two operations are unrelated.
		 */
		ENDPOINT

	}

	/**
	 * Values of the property {@code idempotency.mode}.
	 */
	enum DefaultMode {

		/**
		 * Effects and answer commit together, in one transaction.
		 */
		TRANSACTIONAL,

		/**
		 * The request is claimed before it is executed.
		 */
		LEASED

	}

}
