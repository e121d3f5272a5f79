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

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

import dev.idempotency.AnonymousAccess;
import dev.idempotency.HeaderSyntax;

import static dev.idempotency.autoconfigure.PropertyRules.TEN_YEARS;
import static dev.idempotency.autoconfigure.PropertyRules.TOKEN;
import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

/**
 * Properties under {@code idempotency}. Values that make no sense stop the application.
 *
 * @param enabled Whether operations are protected. Annotated operations run unprotected
 * without.
 * @param namespace Namespace of the keys, which separates applications that share a
 * database. Defaults to spring.application.name.
 * @param header Name of the request header that carries the key.
 * @param headerSyntax Syntax of the key in the request header: with or without quotes, or
 * with quotes only.
 * @param formField Name of the form field that carries the key of an HTML form.
 * @param required Whether a request without a key is refused with 400.
 * @param scope Space within which a key stands for one request.
 * @param mode Mode in which protected operations are executed.
 * @param ttl Time that an answer is kept, counted from the moment it was stored.
 * @param retention How long answers are kept by their outcome.
 * @param anonymous Treatment of callers without an identity.
 * @param account Accounts of callers.
 * @param transactionManager Name of the transaction manager bean to use where there are
 * several and none is primary.
 * @param key What a key looks like.
 * @param inFlight What a duplicate does while the first delivery is running.
 * @param form HTML forms.
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
 * @param secret Secrets of the digests in the table.
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
		@DefaultValue("account") DefaultScope scope, @DefaultValue("transactional") DefaultMode mode,
		@DefaultValue("24h") Duration ttl, @NestedConfigurationProperty @DefaultValue RetentionProperties retention,
		@DefaultValue("reject") AnonymousAccess anonymous,
		@NestedConfigurationProperty @DefaultValue AccountProperties account, @Nullable String transactionManager,
		@NestedConfigurationProperty @DefaultValue KeyProperties key,
		@NestedConfigurationProperty @DefaultValue InFlightProperties inFlight,
		@NestedConfigurationProperty @DefaultValue FormProperties form,
		@NestedConfigurationProperty @DefaultValue LeaseProperties lease,
		@NestedConfigurationProperty @DefaultValue PhaseProperties phase,
		@NestedConfigurationProperty @DefaultValue CompleterProperties completer,
		@NestedConfigurationProperty @DefaultValue FingerprintProperties fingerprint, @DefaultValue Outcome outcome,
		@NestedConfigurationProperty @DefaultValue ReplayProperties replay,
		@NestedConfigurationProperty @DefaultValue LimitsProperties limits, @DefaultValue Problem problem,
		@DefaultValue Policy policy, @DefaultValue Openapi openapi,
		@NestedConfigurationProperty @DefaultValue CodecProperties codec,
		@NestedConfigurationProperty @DefaultValue SecretProperties secret,
		@NestedConfigurationProperty @DefaultValue CacheProperties cache,
		@NestedConfigurationProperty @DefaultValue ReaperProperties reaper,
		@NestedConfigurationProperty @DefaultValue JobProperties job,
		@NestedConfigurationProperty @DefaultValue MessagingProperties messaging,
		@NestedConfigurationProperty @DefaultValue OutboxProperties outbox,
		@NestedConfigurationProperty @DefaultValue ClientProperties client,
		@NestedConfigurationProperty @DefaultValue SchemaProperties schema, @DefaultValue Store store,
		@DefaultValue Endpoint endpoint, @DefaultValue Health health, @DefaultValue Observations observations) {

	public IdempotencyProperties {
		require(TOKEN.matcher(header).matches(), "header", header, "Write a header name such as Idempotency-Key.");
		fingerprint.includeHeaders()
			.forEach((name) -> require(!name.equalsIgnoreCase(header), "fingerprint.include-headers", name,
					"Remove it: the key decides which request it is compared with."));
		completer.headers()
			.forEach((name) -> require(!name.equalsIgnoreCase(header), "completer.headers", name,
					"Remove it: keys are not stored."));
		require(!formField.isBlank(), "form-field", formField, "Write a field name such as _idempotency_key.");
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
	 * Which outcomes are stored.
	 *
	 * @param storeServerErrors Whether 5xx responses are final and replayed, as Stripe
	 * does.
	 */
	public record Outcome(@DefaultValue("false") boolean storeServerErrors) {
	}

	/**
	 * Problem details.
	 *
	 * @param documentation Address of the documentation of the API's idempotency, sent as
	 * Link with rel=describedby.
	 * @param typeBase Start of the URIs that identify the types of problems, to which the
	 * name of a type such as key-reused is appended.
	 */
	public record Problem(@DefaultValue("") String documentation,
			@DefaultValue("https://idempotency.dev/problems/") String typeBase) {

		private static final Pattern BASE = Pattern
			.compile("[A-Za-z][A-Za-z0-9+.-]*:[\\x21-\\x7E&&[^<>\"{}|\\\\^`]]*[/#:=]");

		public Problem {
			require(documentation.isEmpty() || documentation.matches("(https?://|/)[\\x21-\\x7E&&[^<>\"]]*"),
					"problem.documentation", documentation,
					"Write an address such as https://api.example.com/docs/idempotency.");
			require(BASE.matcher(typeBase).matches() && isUri(typeBase + "key-reused"), "problem.type-base", typeBase,
					"Write an absolute URI that ends with /, #, : or =, such as https://api.example.com/problems/.");
		}

		private static boolean isUri(String value) {
			try {
				return new URI(value).isAbsolute();
			}
			catch (URISyntaxException ex) {
				return false;
			}
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
	 * Access to the store.
	 *
	 * @param timeout Longest time that the database may take to decide whether a request
	 * may run.
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
	 * @param maxOpenAge Longest time that a request may be without an answer before the
	 * health is degraded.
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
