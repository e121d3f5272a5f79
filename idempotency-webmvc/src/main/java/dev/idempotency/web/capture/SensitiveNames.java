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
package dev.idempotency.web.capture;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The headers and parameters that are never stored: one list for replays, stored commands
 * and fingerprints.
 */
public final class SensitiveNames {

	/**
	 * Headers with credentials and their equivalents that no word in the name shows.
	 */
	private static final Set<String> CREDENTIALS = Set.of("authentication-info", "proxy-authentication-info",
			"authentication-control", "signature", "signature-input", "x-hub-signature", "x-hub-signature-256",
			"x-amzn-oidc-data", "x-ms-client-principal", "x-forwarded-client-cert");

	/**
	 * Last words of headers with credentials.
	 */
	private static final Set<String> CREDENTIAL_WORDS = Set.of("authorization", "authenticate", "auth", "assertion",
			"bearer", "cookie", "credential", "credentials", "dpop", "jwt", "nonce", "otp", "passphrase", "password",
			"secret", "session", "sid");

	private static final List<String> CREDENTIAL_ENDINGS = List.of("token", "key", "secret", "password", "cookie",
			"sessionid");

	/**
	 * Words in front of a token or a key that make it a position in a list or the address
	 * of something, as in {@code Next-Page-Token} and {@code Surrogate-Key}.
	 */
	private static final Set<String> PLACES = Set.of("page", "next", "continuation", "cursor", "sync", "idempotency",
			"surrogate", "cache", "partition", "sort", "routing", "public");

	private static final List<String> CREDENTIAL_PARTS = List.of("csrf", "xsrf");

	/**
	 * Traces and correlations of one exchange, and the identifiers that clouds and
	 * proxies add.
	 */
	private static final Set<String> TRACES = Set.of("traceparent", "tracestate", "traceresponse", "baggage", "b3",
			"x-request-id", "request-id", "request-context", "x-correlation-id", "correlation-id", "x-trace-id",
			"trace-id", "uber-trace-id", "sentry-trace", "x-amzn-trace-id", "x-amzn-requestid", "x-amz-request-id",
			"x-amz-id-2", "x-amz-cf-id", "x-cloud-trace-context", "grpc-trace-bin", "x-ms-request-id",
			"x-ms-client-request-id", "x-ms-correlation-request-id", "x-ms-request-root-id", "x-client-trace-id",
			"elastic-apm-traceparent", "newrelic", "x-newrelic-id", "x-newrelic-transaction", "x-instana-t",
			"x-instana-s", "x-instana-l", "x-dynatrace", "cf-ray", "fly-request-id", "x-vercel-id", "x-nf-request-id",
			"server-timing");

	private static final List<String> TRACE_PREFIXES = List.of("x-b3-", "x-datadog-", "x-ot-span-", "x-dynatrace-",
			"uberctx-", "ot-tracer-");

	/**
	 * Parameters of forms and queries with a token against forgery, which may differ on
	 * each page.
	 */
	private static final Set<String> FORGERY_TOKENS = Set.of("_csrf", "csrf", "csrftoken", "csrf_token", "_csrf_token",
			"xsrf_token", "_xsrf", "authenticity_token", "csrfmiddlewaretoken", "__requestverificationtoken");

	/**
	 * Parameters of forms and queries with a bearer token (RFC 6750 sections 2.2 and
	 * 2.3), and those exchanged for one.
	 */
	private static final Set<String> CREDENTIAL_PARAMETERS = Set.of("access_token", "refresh_token", "id_token",
			"id_token_hint", "client_secret", "client_assertion", "api_key", "apikey", "x-amz-security-token",
			"x-amz-signature", "jsessionid");

	private SensitiveNames() {
	}

	/**
	 * Returns whether a header carries a credential.
	 * @param name the name of the header, in any case
	 * @return whether it must not be kept
	 */
	public static boolean isCredential(String name) {
		String lowerCase = normalized(name);
		return CREDENTIALS.contains(lowerCase) || CREDENTIAL_PARTS.stream().anyMatch(lowerCase::contains)
				|| endsAsCredential(lowerCase);
	}

	/**
	 * Returns whether the last word of a name, other than a number, is that of a
	 * credential.
	 */
	private static boolean endsAsCredential(String name) {
		int end = endOfWord(name, name.length());
		int start = startOfWord(name, end);
		String word = name.substring(start, end);
		int endBefore = endOfWord(name, start);
		String before = name.substring(startOfWord(name, endBefore), endBefore);
		if (word.equals("id")) {
			return before.equals("session");
		}
		return CREDENTIAL_WORDS.contains(word)
				|| (!PLACES.contains(before) && CREDENTIAL_ENDINGS.stream().anyMatch(word::endsWith));
	}

	private static int endOfWord(String name, int from) {
		int end = from;
		while (end > 0 && !Character.isLetter(name.charAt(end - 1))) {
			end--;
		}
		return end;
	}

	private static int startOfWord(String name, int end) {
		int start = end;
		while (start > 0 && Character.isLetter(name.charAt(start - 1))) {
			start--;
		}
		return start;
	}

	/**
	 * Returns whether a header names the trace of one exchange.
	 * @param name the name of the header, in any case
	 * @return whether it differs between a request and its retry
	 */
	public static boolean isTrace(String name) {
		String lowerCase = normalized(name);
		return TRACES.contains(lowerCase) || TRACE_PREFIXES.stream().anyMatch(lowerCase::startsWith);
	}

	/**
	 * Returns whether a parameter of a form or a query carries a credential.
	 * @param name the decoded name, in any case
	 * @return whether it must not be kept
	 */
	public static boolean isCredentialParameter(String name) {
		return CREDENTIAL_PARAMETERS.contains(normalized(name)) || isForgeryToken(name);
	}

	/**
	 * Returns whether a parameter of a form or a query carries a token against forgery.
	 * @param name the decoded name, in any case
	 * @return whether it differs between a request and its retry
	 */
	public static boolean isForgeryToken(String name) {
		return FORGERY_TOKENS.contains(normalized(name));
	}

	private static String normalized(String name) {
		return name.trim().toLowerCase(Locale.ROOT);
	}

}
