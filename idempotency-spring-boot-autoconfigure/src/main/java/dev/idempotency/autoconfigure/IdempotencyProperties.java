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
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.util.unit.DataSize;

import dev.idempotency.AnonymousAccess;
import dev.idempotency.HeaderSyntax;
import dev.idempotency.InFlightPolicy;
import dev.idempotency.InvalidIdempotentException;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.Mode;
import dev.idempotency.Scope;
import dev.idempotency.client.InTransaction;
import dev.idempotency.client.KeyFormat;

/**
 * Properties under {@code idempotency}. Values that make no sense stop the application.
 *
 * @param enabled Whether the library does anything.
 * @param namespace Separates applications that share a database. Defaults to
 * spring.application.name.
 * @param header Name of the request header that carries the key.
 * @param headerSyntax Whether a key without quotes is accepted.
 * @param formField Name of the form field that carries the key of an HTML form.
 * @param required Whether a request without a key is refused with 400.
 * @param scope Space inside of which a key stands for one request.
 * @param mode How protected operations are executed.
 * @param ttl How long an answer is kept, counted from the moment it was stored.
 * @param retention How long answers are kept by their outcome.
 * @param anonymous What happens to callers without an identity.
 * @param transactionManager Name of the transaction manager bean to use where there are
 * several and none is primary.
 * @param key What a key looks like.
 * @param inFlight What a duplicate does while the first delivery is running.
 * @param lease Leases of operations in mode leased.
 * @param phase Requests in phases.
 * @param completer The completer, which brings unfinished requests to their end.
 * @param fingerprint What tells two requests apart.
 * @param outcome Which outcomes are stored.
 * @param replay What is replayed.
 * @param limits Sizes.
 * @param problem Problem details.
 * @param policy The policy document.
 * @param openapi OpenAPI documents.
 * @param codec How answers are stored.
 * @param cache Replays without the database.
 * @param reaper Deletion of expired answers.
 * @param job Staged jobs.
 * @param client Outgoing requests.
 * @param schema The table.
 * @param store Access to the store.
 * @param endpoint The actuator's endpoints.
 * @param health The health contributor.
 * @param observations Observations of the stages of a request.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(@DefaultValue("true") boolean enabled, @Nullable String namespace,
		@DefaultValue("Idempotency-Key") String header, @DefaultValue("lenient") HeaderSyntax headerSyntax,
		@DefaultValue("_idempotency_key") String formField, @DefaultValue("true") boolean required,
		@DefaultValue("account") Scope scope, @DefaultValue("transactional") Mode mode,
		@DefaultValue("24h") Duration ttl, @DefaultValue Retention retention,
		@DefaultValue("reject") AnonymousAccess anonymous, @Nullable String transactionManager, @DefaultValue Key key,
		@DefaultValue InFlight inFlight, @DefaultValue Lease lease, @DefaultValue Phase phase,
		@DefaultValue Completer completer, @DefaultValue Fingerprint fingerprint, @DefaultValue Outcome outcome,
		@DefaultValue Replay replay, @DefaultValue Limits limits, @DefaultValue Problem problem,
		@DefaultValue Policy policy, @DefaultValue Openapi openapi, @DefaultValue Codec codec,
		@DefaultValue Cache cache, @DefaultValue Reaper reaper, @DefaultValue Job job, @DefaultValue Client client,
		@DefaultValue Schema schema, @DefaultValue Store store, @DefaultValue Endpoint endpoint,
		@DefaultValue Health health, @DefaultValue Observations observations) {

	private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

	private static final Duration TEN_YEARS = Duration.ofDays(3650);

	public IdempotencyProperties {
		require(TOKEN.matcher(header).matches(), "header", header, "Write a header name such as Idempotency-Key.");
		require(!formField.isBlank(), "form-field", formField, "Write a field name such as _idempotency_key.");
		require(scope != Scope.DEFAULT, "scope", scope, "Write account, endpoint or resource.");
		require(scope != Scope.RESOURCE, "scope", scope,
				"Write account or endpoint: resource needs a name and is set on the annotation.");
		require(mode != Mode.DEFAULT, "mode", mode, "Write transactional or leased.");
		requirePositive(ttl, "ttl", "24h");
		require(ttl.compareTo(TEN_YEARS) <= 0, "ttl", ttl, "Write at most 3650d.");
	}

	private static void require(boolean condition, String property, @Nullable Object value, String action) {
		if (!condition) {
			String text = (value instanceof Enum<?> constant) ? constant.name().toLowerCase(Locale.ROOT)
					: String.valueOf(value);
			throw new InvalidIdempotentException("The property idempotency." + property + " is '" + text + "'.",
					action);
		}
	}

	private static void requirePositive(Duration duration, String property, String example) {
		require(!duration.isNegative() && !duration.isZero(), property, duration,
				"Write a positive duration such as " + example + ".");
	}

	private static void requireBetween(Duration duration, Duration least, Duration most, String property,
			String action) {
		require(duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0, property, duration, action);
	}

	private static void requireSize(DataSize size, String property, String example) {
		require(!size.isNegative() && size.toBytes() > 0 && size.toBytes() < Integer.MAX_VALUE - 16, property, size,
				"Write a size between 1B and 2047MB, such as " + example + ".");
	}

	/**
	 * How long answers are kept by their outcome, where that is shorter than the time to
	 * live of the operation.
	 *
	 * @param clientError How long a 4xx answer is kept at the most; idempotency.ttl or
	 * that of the operation if not set.
	 * @param serverError How long a 5xx answer is kept at the most, where those are
	 * stored at all.
	 */
	public record Retention(@Nullable Duration clientError, @Nullable Duration serverError) {

		public Retention {
			requireRetention(clientError, "retention.client-error");
			requireRetention(serverError, "retention.server-error");
		}

		private static void requireRetention(@Nullable Duration retention, String property) {
			if (retention != null) {
				requirePositive(retention, property, "1h");
			}
		}

	}

	/**
	 * What a key looks like.
	 *
	 * @param minLength Smallest number of characters of a key.
	 * @param maxLength Largest number of characters of a key.
	 * @param pattern Regular expression that a whole key has to match, none by default.
	 */
	public record Key(@DefaultValue("1") int minLength, @DefaultValue("255") int maxLength, @Nullable Pattern pattern) {

		public Key {
			require(minLength >= 1, "key.min-length", minLength, "Write a number from 1.");
			require(maxLength >= minLength && maxLength <= 4096, "key.max-length", maxLength,
					"Write a number from idempotency.key.min-length (" + minLength + ") to 4096.");
		}

	}

	/**
	 * What a duplicate does while the first delivery is running.
	 *
	 * @param policy Whether it is refused at once or waits for the answer.
	 * @param maxWait How long it waits at the most.
	 * @param retryAfter What a refused duplicate is told in Retry-After.
	 */
	public record InFlight(@DefaultValue("reject") InFlightPolicy policy,
			@Name("wait") @DefaultValue("5s") Duration maxWait, @DefaultValue("1s") Duration retryAfter) {

		public InFlight {
			requirePositive(maxWait, "in-flight.wait", "5s");
			requirePositive(retryAfter, "in-flight.retry-after", "1s");
		}

	}

	/**
	 * Leases of operations in mode leased.
	 *
	 * @param duration How long a claim holds without a heartbeat.
	 * @param heartbeat Time between two extensions of this node's leases.
	 * @param max How long a running request is kept alive by heartbeats at the most.
	 * @param onExpiry What happens to a request whose owner let its lease expire.
	 */
	public record Lease(@DefaultValue("30s") Duration duration, @DefaultValue("10s") Duration heartbeat,
			@DefaultValue("10m") Duration max, @DefaultValue("rerun") LeaseExpiry onExpiry) {

		public Lease {
			requirePositive(duration, "lease.duration", "30s");
			requirePositive(heartbeat, "lease.heartbeat", "10s");
			require(heartbeat.multipliedBy(2).compareTo(duration) <= 0, "lease.heartbeat", heartbeat,
					"Write at most half of idempotency.lease.duration (" + duration + ").");
			require(max.compareTo(duration) >= 0, "lease.max", max,
					"Write at least idempotency.lease.duration (" + duration + ").");
		}

	}

	/**
	 * What tells two requests apart.
	 *
	 * @param includeHeaders Names of request headers that belong to the request's
	 * meaning.
	 * @param excludePointers JSON pointers (RFC 6901) of values that do not.
	 */
	public record Fingerprint(@DefaultValue List<String> includeHeaders, @DefaultValue List<String> excludePointers) {

		public Fingerprint {
			includeHeaders.forEach((name) -> require(TOKEN.matcher(name).matches(), "fingerprint.include-headers", name,
					"Write header names such as X-Api-Version."));
			includeHeaders.forEach((name) -> require(
					!name.equalsIgnoreCase("Authorization") && !name.equalsIgnoreCase("Cookie")
							&& !name.equalsIgnoreCase("Proxy-Authorization"),
					"fingerprint.include-headers", name,
					"Remove it: a renewed credential would make a retry another request."));
		}

	}

	/**
	 * Which outcomes are stored.
	 *
	 * @param storeServerErrors Whether 5xx responses are final and replayed, as Stripe
	 * does.
	 */
	public record Outcome(@DefaultValue("false") boolean storeServerErrors) {
	}

	/**
	 * What is replayed.
	 *
	 * @param marker Name of the response header that marks a replay, empty for none.
	 * @param deniedHeaders Names of response headers that are not stored, on top of the
	 * fixed ones.
	 * @param allowedHeaders The only response headers that are stored, empty for all that
	 * are not denied.
	 */
	public record Replay(@DefaultValue("Idempotent-Replayed") String marker, @DefaultValue List<String> deniedHeaders,
			@DefaultValue List<String> allowedHeaders) {

		public Replay {
			require(marker.isEmpty() || TOKEN.matcher(marker).matches(), "replay.marker", marker,
					"Write a header name such as Idempotent-Replayed, or nothing for no marker.");
		}

	}

	/**
	 * Sizes.
	 *
	 * @param maxRequestBody Largest request body of a protected operation; larger ones
	 * get a 413. Multipart bodies have the container's limit.
	 * @param maxResponseBody Largest response body that is stored; of larger ones only
	 * the first caller gets the body.
	 */
	public record Limits(@DefaultValue("1MB") DataSize maxRequestBody, @DefaultValue("1MB") DataSize maxResponseBody) {

		public Limits {
			requireSize(maxRequestBody, "limits.max-request-body", "1MB");
			requireSize(maxResponseBody, "limits.max-response-body", "1MB");
		}

	}

	/**
	 * Problem details.
	 *
	 * @param documentation Address of the documentation of the API's idempotency, sent as
	 * Link with rel=describedby.
	 */
	public record Problem(@DefaultValue("") String documentation) {

		public Problem {
			require(documentation.isEmpty() || documentation.matches("(https?://|/)[\\x21-\\x7E&&[^<>\"]]*"),
					"problem.documentation", documentation,
					"Write an address such as https://api.example.com/docs/idempotency.");
		}

	}

	/**
	 * Requests in phases.
	 *
	 * @param isolation Isolation of a phase's transaction.
	 * @param retry What happens to a phase that could not be serialised with others.
	 */
	public record Phase(@DefaultValue("serializable") Isolation isolation, @DefaultValue Retry retry) {
	}

	/**
	 * Retries of a phase that could not be serialised, or that was a deadlock's victim.
	 *
	 * @param maxAttempts How often it is tried again before the caller is told to come
	 * back.
	 * @param delay Time before the first retry, doubled for each further one.
	 * @param maxDelay Longest time between two retries.
	 */
	public record Retry(@DefaultValue("10") int maxAttempts, @DefaultValue("10ms") Duration delay,
			@DefaultValue("500ms") Duration maxDelay) {

		public Retry {
			require(maxAttempts >= 0 && maxAttempts <= 1000, "phase.retry.max-attempts", maxAttempts,
					"Write a number from 0 to 1000.");
			requirePositive(delay, "phase.retry.delay", "10ms");
			require(maxDelay.compareTo(delay) >= 0, "phase.retry.max-delay", maxDelay,
					"Write at least idempotency.phase.retry.delay (" + delay + ").");
		}

	}

	/**
	 * The completer, which brings unfinished requests to their end.
	 *
	 * @param enabled Whether this node completes requests.
	 * @param interval Time between two looks for unfinished requests.
	 * @param after How long after the end of its lease a request is left to its sender.
	 * @param maxAttempts How often a request is tried before it waits for a human.
	 * @param threads How many requests this node completes at the same time.
	 * @param headers Names of request headers that handlers need and that are kept with
	 * an unfinished request, on top of Content-Type, Accept and Accept-Language.
	 * @param backoff Time between two attempts.
	 */
	public record Completer(@DefaultValue("true") boolean enabled, @DefaultValue("10s") Duration interval,
			@DefaultValue("5m") Duration after, @DefaultValue("12") int maxAttempts, @DefaultValue("2") int threads,
			@DefaultValue List<String> headers, @DefaultValue Backoff backoff) {

		private static final java.util.Set<String> CREDENTIALS = java.util.Set.of("authorization",
				"proxy-authorization", "cookie");

		public Completer {
			requirePositive(interval, "completer.interval", "10s");
			require(!after.isNegative(), "completer.after", after, "Write a duration such as 5m, or 0.");
			require(maxAttempts >= 1 && maxAttempts <= 1000, "completer.max-attempts", maxAttempts,
					"Write a number from 1 to 1000.");
			require(threads >= 1 && threads <= 64, "completer.threads", threads, "Write a number from 1 to 64.");
			headers.forEach((name) -> require(TOKEN.matcher(name).matches(), "completer.headers", name,
					"Write header names such as X-Api-Version."));
			headers.forEach((name) -> require(!CREDENTIALS.contains(name.toLowerCase(Locale.ROOT)), "completer.headers",
					name, "Remove it: credentials are not stored."));
			backoff.require("completer.backoff");
		}

	}

	/**
	 * Growing times between attempts.
	 *
	 * @param initial Time after the first attempt.
	 * @param multiplier Factor for each further one.
	 * @param max Longest time.
	 */
	public record Backoff(@DefaultValue("10s") Duration initial, @DefaultValue("2") double multiplier,
			@DefaultValue("30m") Duration max) {

		void require(String property) {
			requirePositive(this.initial, property + ".initial", "10s");
			IdempotencyProperties.require(this.multiplier >= 1 && this.multiplier <= 100, property + ".multiplier",
					this.multiplier, "Write a number from 1 to 100.");
			IdempotencyProperties.require(this.max.compareTo(this.initial) >= 0, property + ".max", this.max,
					"Write at least idempotency." + property + ".initial (" + this.initial + ").");
			IdempotencyProperties.require(this.max.compareTo(TEN_YEARS) <= 0, property + ".max", this.max,
					"Write at most 3650d.");
		}

	}

	/**
	 * The policy document.
	 *
	 * @param path Path, such as /.well-known/idempotency-policy, at which the policies of
	 * all protected operations are published as JSON. None by default.
	 */
	public record Policy(@DefaultValue("") String path) {

		public Policy {
			require(path.isEmpty() || path.matches("(/[A-Za-z0-9._~-]+)+"), "policy.path", path,
					"Write a path such as /.well-known/idempotency-policy, or nothing to publish none.");
		}

	}

	/**
	 * Replays without the database.
	 *
	 * @param maximumEntrySize Largest stored answer that is cached; larger ones are read
	 * from the database.
	 * @param local Cache of this node.
	 * @param shared Cache of all nodes.
	 */
	public record Cache(@DefaultValue("16KB") DataSize maximumEntrySize, @DefaultValue Local local,
			@DefaultValue Shared shared) {

		public Cache {
			requireSize(maximumEntrySize, "cache.maximum-entry-size", "16KB");
		}

		/**
		 * Cache of this node.
		 *
		 * @param enabled Whether this node keeps answers in memory, with Caffeine.
		 * @param maximumSize How many answers it keeps.
		 * @param maxAge How long it keeps an answer at the most: as long an answer that
		 * was purged on another node may still be replayed.
		 */
		public record Local(@DefaultValue("false") boolean enabled, @DefaultValue("10000") long maximumSize,
				@DefaultValue("5m") Duration maxAge) {

			public Local {
				require(maximumSize >= 1, "cache.local.maximum-size", maximumSize, "Write a number from 1.");
				requireAge(maxAge, "cache.local.max-age", "5m");
			}

		}

		/**
		 * Cache of all nodes.
		 *
		 * @param enabled Whether answers are kept in a cache of the application's
		 * CacheManager.
		 * @param name Name of that cache.
		 * @param maxAge How long an answer is replayed from it at the most.
		 * @param timeout How long a request waits for it before it asks the database.
		 */
		public record Shared(@DefaultValue("false") boolean enabled, @DefaultValue("idempotency") String name,
				@DefaultValue("1h") Duration maxAge, @DefaultValue("100ms") Duration timeout) {

			public Shared {
				require(!name.isBlank(), "cache.shared.name", name, "Write the name of a cache such as idempotency.");
				requireAge(maxAge, "cache.shared.max-age", "1h");
				requirePositive(timeout, "cache.shared.timeout", "100ms");
				require(timeout.compareTo(Duration.ofMinutes(1)) <= 0, "cache.shared.timeout", timeout,
						"Write at most 1m.");
			}

		}

		private static void requireAge(Duration age, String property, String example) {
			requirePositive(age, property, example);
			require(age.compareTo(TEN_YEARS) <= 0, property, age, "Write at most 3650d.");
		}

	}

	/**
	 * OpenAPI documents.
	 *
	 * @param enabled Whether the OpenAPI documents of springdoc describe the protected
	 * operations.
	 */
	public record Openapi(@DefaultValue("true") boolean enabled) {
	}

	/**
	 * Deletion of expired answers.
	 *
	 * @param enabled Whether this node deletes.
	 * @param interval Time between two runs.
	 * @param batchSize Records in one transaction.
	 * @param pause Time between two batches of a run.
	 * @param keepUnfinished How long an unfinished request is left to its sender before
	 * it waits for a human.
	 */
	public record Reaper(@DefaultValue("true") boolean enabled, @DefaultValue("1m") Duration interval,
			@DefaultValue("5000") int batchSize, @DefaultValue("50ms") Duration pause,
			@DefaultValue("24h") Duration keepUnfinished) {

		public Reaper {
			requirePositive(interval, "reaper.interval", "1m");
			require(batchSize >= 1 && batchSize <= 100_000, "reaper.batch-size", batchSize,
					"Write a number from 1 to 100000.");
			require(!pause.isNegative(), "reaper.pause", pause, "Write a duration such as 50ms, or 0.");
			requirePositive(keepUnfinished, "reaper.keep-unfinished", "24h");
		}

	}

	/**
	 * Staged jobs.
	 *
	 * @param enabled Whether jobs can be staged and run.
	 * @param threads How many jobs this node runs at once; each uses a connection.
	 * @param pollingInterval Time between two looks for due jobs. Jobs that this node
	 * stages run without waiting for it.
	 * @param heartbeatInterval Time between two signs of life of a running job. After
	 * four without one it is given to another node.
	 * @param maxAttempts How often a job is tried before it is dead.
	 * @param backoff How long a failed job waits.
	 */
	public record Job(@DefaultValue("true") boolean enabled, @DefaultValue("4") int threads,
			@DefaultValue("10s") Duration pollingInterval, @DefaultValue("30s") Duration heartbeatInterval,
			@DefaultValue("12") int maxAttempts, @DefaultValue Backoff backoff) {

		public Job {
			require(threads >= 1 && threads <= 100, "job.threads", threads, "Write a number from 1 to 100.");
			requireBetween(pollingInterval, Duration.ofMillis(100), Duration.ofHours(1), "job.polling-interval",
					"Write a duration from 100ms to 1h, such as 10s.");
			requireBetween(heartbeatInterval, Duration.ofSeconds(1), Duration.ofHours(1), "job.heartbeat-interval",
					"Write a duration from 1s to 1h, such as 30s.");
			require(maxAttempts >= 1 && maxAttempts <= 1000, "job.max-attempts", maxAttempts,
					"Write a number from 1 to 1000.");
			backoff.require("job.backoff");
		}

	}

	/**
	 * Outgoing requests.
	 *
	 * @param enabled Whether every RestClient, RestTemplate and WebClient that Spring
	 * Boot builds sends keys and retries.
	 * @param header Name of the request header that carries the key.
	 * @param headerSyntax Whether the key is sent as it is, or as an RFC 9651 string.
	 * @param methods Methods of requests that get a key.
	 * @param keyFormat What generated keys look like.
	 * @param serverTtl How long the other systems keep their answers at the least.
	 * @param inTransaction What happens when another system is asked to change something
	 * from inside of a transaction that ends with an answer.
	 * @param retry Retries of requests that have a key.
	 */
	public record Client(@DefaultValue("false") boolean enabled, @DefaultValue("Idempotency-Key") String header,
			@DefaultValue("lenient") HeaderSyntax headerSyntax, @DefaultValue( {
					"POST", "PATCH" }) List<String> methods,
			@DefaultValue("uuid-v7") KeyFormat keyFormat, @DefaultValue("24h") Duration serverTtl,
			@DefaultValue("warn") InTransaction inTransaction, @DefaultValue ClientRetry retry){

		private static final List<String> UNSAFE = List.of("POST", "PATCH", "PUT", "DELETE");

		public Client {
			require(TOKEN.matcher(header).matches(), "client.header", header,
					"Write a header name such as Idempotency-Key.");
			methods.forEach((method) -> require(UNSAFE.contains(method), "client.methods", method,
					"Write POST, PATCH, PUT or DELETE."));
			requirePositive(serverTtl, "client.server-ttl", "24h");
			require(serverTtl.compareTo(TEN_YEARS) <= 0, "client.server-ttl", serverTtl, "Write at most 3650d.");
			require(retry.total().compareTo(serverTtl) < 0, "client.retry.total", retry.total(),
					"Write less than idempotency.client.server-ttl (" + serverTtl + "): a key that the other system "
							+ "has forgotten is a new one there.");
		}

	}

	/**
	 * Retries of outgoing requests that have a key.
	 *
	 * @param enabled Whether they are sent again while nothing was decided.
	 * @param maxAttempts How often a request is sent at the most, the first time
	 * included.
	 * @param initial Longest pause after the first attempt, doubled for each further one.
	 * @param max Longest pause, unless the other system asks for a longer one.
	 * @param total No attempt starts later than this after the first one.
	 */
	public record ClientRetry(@DefaultValue("true") boolean enabled, @DefaultValue("4") int maxAttempts,
			@DefaultValue("200ms") Duration initial, @DefaultValue("10s") Duration max,
			@DefaultValue("30s") Duration total) {

		public ClientRetry {
			require(maxAttempts >= 1 && maxAttempts <= 100, "client.retry.max-attempts", maxAttempts,
					"Write a number from 1 to 100.");
			requirePositive(initial, "client.retry.initial", "200ms");
			require(max.compareTo(initial) >= 0, "client.retry.max", max,
					"Write at least idempotency.client.retry.initial (" + initial + ").");
			requirePositive(total, "client.retry.total", "30s");
		}

	}

	/**
	 * The tables.
	 *
	 * @param management Who creates them: flyway migrates them, validate checks that they
	 * are there, none does neither.
	 * @param partitions Number of hash partitions of the table of answers, where flyway
	 * creates it; 1 for a plain table.
	 */
	public record Schema(@DefaultValue("flyway") SchemaManagement management, @DefaultValue("1") int partitions) {

		public Schema {
			require(partitions >= 1 && partitions <= 256 && Integer.bitCount(partitions) == 1, "schema.partitions",
					partitions, "Write a power of two from 1 to 256.");
		}

	}

	/**
	 * How the table comes into being.
	 */
	public enum SchemaManagement {

		/**
		 * The library's own migrations run after the application's.
		 */
		FLYWAY,

		/**
		 * The application creates it; start-up fails when it is not there.
		 */
		VALIDATE,

		/**
		 * Nothing is done or checked.
		 */
		NONE

	}

	/**
	 * Access to the store.
	 *
	 * @param timeout How long the database may take to tell whether a request may run.
	 */
	public record Store(@DefaultValue("5s") Duration timeout) {

		public Store {
			requirePositive(timeout, "store.timeout", "5s");
			require(timeout.compareTo(Duration.ofHours(1)) <= 0, "store.timeout", timeout, "Write at most 1h.");
		}

	}

	/**
	 * The actuator's endpoints.
	 *
	 * @param showBodies Whether operators are shown what requests are about: the bodies
	 * of answers, and of requests without an answer all that is known.
	 */
	public record Endpoint(@DefaultValue("false") boolean showBodies) {
	}

	/**
	 * The health contributor.
	 *
	 * @param maxOpenAge How long a request may be without an answer before the health is
	 * degraded.
	 */
	public record Health(@DefaultValue("15m") Duration maxOpenAge) {

		public Health {
			requirePositive(maxOpenAge, "health.max-open-age", "15m");
		}

	}

	/**
	 * Observations of the stages of a request, which become spans and timers.
	 *
	 * @param enabled Whether the stages of requests are observed.
	 */
	public record Observations(@DefaultValue("true") boolean enabled) {
	}

	/**
	 * How answers are stored.
	 *
	 * @param type Whether answers are stored as they are, compressed, or encrypted.
	 * @param keys Keys for encryption by their id: 32 random bytes in Base64 each. Keys
	 * of old answers stay until these have expired.
	 * @param activeKey Id of the key that encrypts; needed with several keys.
	 */
	public record Codec(@DefaultValue("none") CodecType type, @DefaultValue java.util.Map<String, String> keys,
			@Nullable String activeKey) {
	}

	/**
	 * The codecs of the library.
	 */
	public enum CodecType {

		/**
		 * As it is.
		 */
		NONE,

		/**
		 * Compressed with gzip.
		 */
		GZIP,

		/**
		 * Compressed, then encrypted and authenticated with AES-256-GCM.
		 */
		AES_GCM

	}

}
