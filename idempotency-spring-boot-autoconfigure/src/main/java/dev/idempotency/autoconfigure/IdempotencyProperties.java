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
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;

import dev.idempotency.AnonymousAccess;
import dev.idempotency.HeaderSyntax;
import dev.idempotency.InFlightPolicy;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.Mode;
import dev.idempotency.Scope;

import static dev.idempotency.autoconfigure.PropertyRules.TEN_YEARS;
import static dev.idempotency.autoconfigure.PropertyRules.TOKEN;
import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;
import static dev.idempotency.autoconfigure.PropertyRules.requireSize;

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
 * @param messaging Annotated listeners of Kafka and RabbitMQ.
 * @param outbox The outbox.
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
		@DefaultValue InFlight inFlight, @DefaultValue Lease lease,
		@NestedConfigurationProperty @DefaultValue PhaseProperties phase,
		@NestedConfigurationProperty @DefaultValue CompleterProperties completer, @DefaultValue Fingerprint fingerprint,
		@DefaultValue Outcome outcome, @DefaultValue Replay replay, @DefaultValue Limits limits,
		@DefaultValue Problem problem, @DefaultValue Policy policy, @DefaultValue Openapi openapi,
		@NestedConfigurationProperty @DefaultValue CodecProperties codec,
		@NestedConfigurationProperty @DefaultValue CacheProperties cache, @DefaultValue Reaper reaper,
		@NestedConfigurationProperty @DefaultValue JobProperties job,
		@NestedConfigurationProperty @DefaultValue MessagingProperties messaging,
		@NestedConfigurationProperty @DefaultValue OutboxProperties outbox,
		@NestedConfigurationProperty @DefaultValue ClientProperties client, @DefaultValue Schema schema,
		@DefaultValue Store store, @DefaultValue Endpoint endpoint, @DefaultValue Health health,
		@DefaultValue Observations observations) {

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

	/**
	 * Spring asks each bean for it. Java would make one of all nested records, at
	 * start-up.
	 */
	@Override
	public int hashCode() {
		return this.header.hashCode();
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

}
