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
package dev.idempotency.autoconfigure.web;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.web.endpoint.SensitiveNames;

import static dev.idempotency.autoconfigure.PropertyRules.TOKEN;
import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of HTTP endpoints, under {@code idempotency}.
 *
 * @param header Name of the request header that carries the key.
 * @param headerSyntax Syntax of the key in the request header: with or without quotes, or
 * with quotes only.
 * @param fingerprint Parts of a request that distinguish two requests with the same key.
 * @param replay Parts of an answer that are replayed.
 * @param problem Settings of problem details.
 * @param completer Parts of a request that are kept for the completer.
 */
@ConfigurationProperties("idempotency")
record IdempotencyWebProperties(@DefaultValue("Idempotency-Key") String header,
		@DefaultValue("lenient") HeaderSyntax headerSyntax, Fingerprint fingerprint, Replay replay, Problem problem,
		Completer completer) {

	IdempotencyWebProperties {
		fingerprint = Objects.requireNonNullElse(fingerprint, Fingerprint.DEFAULTS);
		replay = Objects.requireNonNullElse(replay, Replay.DEFAULTS);
		problem = Objects.requireNonNullElse(problem, Problem.DEFAULTS);
		completer = Objects.requireNonNullElse(completer, Completer.DEFAULTS);
		require(TOKEN.matcher(header).matches(), "header", header, "Write a header name such as Idempotency-Key.");
		fingerprint.includeHeaders()
			.forEach((name) -> require(!name.equalsIgnoreCase(header), "fingerprint.include-headers", name,
					"Remove it: the key decides which request it is compared with."));
		completer.headers()
			.forEach((name) -> require(!name.equalsIgnoreCase(header), "completer.headers", name,
					"Remove it: keys are not stored."));
	}

	/**
	 * Problem details.
	 *
	 * @param documentation Address of the documentation of the API's idempotency, sent as
	 * Link with rel=describedby.
	 * @param typeBase Start of the URIs that identify the types of problems, to which the
	 * name of a type such as key-reused is appended.
	 */
	record Problem(@DefaultValue("") String documentation,
			@DefaultValue("https://idempotency.dev/problems/") String typeBase) {

		private static final Pattern BASE = Pattern
			.compile("[A-Za-z][A-Za-z0-9+.-]*:[\\x21-\\x7E&&[^<>\"{}|\\\\^`]]*[/#:=]");

		static final Problem DEFAULTS = new Problem("", "https://idempotency.dev/problems/");

		Problem {
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
	 * Parts of a request that are kept for the completer.
	 *
	 * @param headers Names of request headers that handlers need and that are kept with
	 * an unfinished request, in addition to Content-Type, Accept and Accept-Language.
	 * @param excludePointers JSON pointers (RFC 6901) of members that are not stored,
	 * such as the security code of a card. A request that has one of them, or whose body
	 * is not JSON, is not kept for the completer.
	 * @param excludedParameters Names of parameters of forms and queries that are not
	 * kept with an unfinished request, in addition to the key, CSRF tokens and access
	 * tokens. Handlers run without them.
	 */
	record Completer(@DefaultValue List<String> headers, @DefaultValue List<String> excludePointers,
			@DefaultValue List<String> excludedParameters) {

		static final Completer DEFAULTS = new Completer(List.of(), List.of(), List.of());

		Completer {
			headers.forEach((name) -> require(TOKEN.matcher(name).matches(), "completer.headers", name,
					"Write header names such as X-Api-Version."));
			headers.forEach((name) -> require(!SensitiveNames.isCredential(name), "completer.headers", name,
					"Remove it: credentials are not stored."));
			excludePointers.forEach(
					(pointer) -> require(pointer.startsWith("/") && pointer.length() > 1, "completer.exclude-pointers",
							pointer, "Write the JSON pointer of a member, such as /card/securityCode."));
			excludedParameters.forEach((name) -> require(!name.isBlank(), "completer.excluded-parameters", name,
					"Write names of parameters such as pin."));
		}

	}

	/**
	 * Settings of the fingerprint, which distinguishes requests with the same key.
	 *
	 * @param includeHeaders Names of request headers that distinguish two requests with
	 * the same key.
	 * @param excludePointers JSON pointers (RFC 6901) of values in a body that are left
	 * out of the comparison of two requests with the same key.
	 */
	record Fingerprint(@DefaultValue List<String> includeHeaders, @DefaultValue List<String> excludePointers) {

		static final Fingerprint DEFAULTS = new Fingerprint(List.of(), List.of());

		Fingerprint {
			includeHeaders.forEach((name) -> require(TOKEN.matcher(name).matches(), "fingerprint.include-headers", name,
					"Write header names such as X-Api-Version."));
			includeHeaders.forEach((name) -> require(!SensitiveNames.isCredential(name), "fingerprint.include-headers",
					name, "Remove it: a renewed credential would make a retry another request."));
			includeHeaders.forEach((name) -> require(!SensitiveNames.isTrace(name), "fingerprint.include-headers", name,
					"Remove it: a retry has a different trace."));
		}

	}

	/**
	 * Settings of replayed answers.
	 *
	 * @param marker Name of the response header that marks a replay, empty for none.
	 * @param deniedHeaders Names of response headers that are not stored, in addition to
	 * the fixed ones.
	 */
	record Replay(@DefaultValue("Idempotent-Replayed") String marker, @DefaultValue List<String> deniedHeaders) {

		static final Replay DEFAULTS = new Replay("Idempotent-Replayed", List.of());

		Replay {
			require(marker.isEmpty() || TOKEN.matcher(marker).matches(), "replay.marker", marker,
					"Write a header name such as Idempotent-Replayed, or nothing for no marker.");
		}

	}

}
