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
package dev.idempotency.autoconfigure.client;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.client.ClientSettings;

import static dev.idempotency.autoconfigure.PropertyRules.TOKEN;
import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireBetween;

/**
 * Settings of outgoing requests.
 *
 * @param enabled Whether each RestClient, RestTemplate and WebClient that Spring Boot
 * builds sends keys and retries.
 * @param header Name of the header that carries the key of an outgoing request.
 * @param inTransaction Reaction to an outgoing request within a transaction that ends
 * with an answer.
 * @param targets Authorities, such as api.example.com or localhost:8443, of each system
 * that has several, by a name for the system.
 * @param retry Retries of outgoing requests with a key.
 */
@ConfigurationProperties("idempotency.client")
record ClientProperties(@DefaultValue("false") boolean enabled, @DefaultValue("Idempotency-Key") String header,
		@DefaultValue("warn") ClientSettings.InTransaction inTransaction,
		@DefaultValue Map<String, List<String>> targets, @DefaultValue Retry retry) {

	private static final Pattern AUTHORITY = Pattern.compile("[^\\s/@?#]+");

	ClientProperties {
		require(TOKEN.matcher(header).matches(), "client.header", header,
				"Write a header name such as Idempotency-Key.");
		requireDistinct(targets);
	}

	private static void requireDistinct(Map<String, List<String>> targets) {
		Set<String> known = new HashSet<>();
		targets.forEach((name, authorities) -> authorities.forEach((authority) -> {
			require(AUTHORITY.matcher(authority).matches(), "client.targets." + name, authority,
					"Write hosts such as api.example.com, with a port unless it is the default of the scheme.");
			require(known.add(authority.toLowerCase(Locale.ROOT)), "client.targets." + name, authority,
					"Remove it from all targets but one.");
		}));
	}

	/**
	 * Retries of outgoing requests with a key.
	 *
	 * @param maxAttempts Maximum number of times that an outgoing request is sent,
	 * including the first; 1 for no retries.
	 * @param total Longest time between the first attempt of an outgoing request and the
	 * start of its last.
	 */
	record Retry(@DefaultValue("4") int maxAttempts, @DefaultValue("30s") Duration total) {

		/**
		 * The time for which other systems usually keep their answers: a key that one has
		 * deleted is a new one there.
		 */
		private static final Duration SERVER_TTL = Duration.ofHours(24);

		Retry {
			require(maxAttempts >= 1 && maxAttempts <= 100, "client.retry.max-attempts", maxAttempts,
					"Write a number from 1 to 100.");
			requireBetween(total, Duration.ofMillis(1), SERVER_TTL, "client.retry.total",
					"Write a duration from 1ms to 24h, such as 30s.");
		}

	}

}
