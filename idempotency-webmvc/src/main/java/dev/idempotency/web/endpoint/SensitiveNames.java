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
package dev.idempotency.web.endpoint;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.util.ConcurrentLruCache;

import dev.idempotency.engine.codec.StoredResponse.HeaderField;

/**
 * The headers and parameters that are never stored: one list for replays, stored commands
 * and fingerprints, to which an application may add.
 */
public final class SensitiveNames {

	/**
	 * Response headers of one exchange, in addition to credentials and traces: hop-by-hop
	 * fields (RFC 9110 section 7.6.1) and fields that the container creates.
	 */
	private static final Set<String> DENIED = Set.of("connection", "keep-alive", "te", "trailer", "transfer-encoding",
			"upgrade", "date", "age", "content-length");

	/**
	 * Prefixes of response headers of one exchange. Rate limits count requests, including
	 * replays, and access is granted to the origin of one exchange.
	 */
	private static final List<String> DENIED_PREFIXES = List.of("proxy-", "x-ratelimit", "x-rate-limit", "ratelimit",
			"rate-limit", "x-app-rate-limit", "x-method-rate-limit", "access-control-");

	private static final Set<String> ADDRESSES = Set.of("location", "content-location", "link", "refresh");

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

	/**
	 * The names without additions.
	 */
	public static final SensitiveNames FIXED = new SensitiveNames(List.of(), List.of());

	private final Set<String> denied;

	private final Pattern sessionIds;

	/**
	 * The decisions for the names that handlers have written last, most of which are
	 * written by every response.
	 */
	private final ConcurrentLruCache<String, Decision> decisions = new ConcurrentLruCache<>(256, this::decide);

	/**
	 * Creates the names of an application.
	 * @param denied names of response headers that are not stored, in addition to the
	 * fixed ones
	 * @param sessionParameters names of the path parameters by which the container writes
	 * a session id into addresses for users who refuse cookies (Servlet 6.1 section
	 * 7.1.3)
	 */
	public SensitiveNames(Collection<String> denied, Collection<String> sessionParameters) {
		this.denied = Stream.concat(DENIED.stream(), denied.stream().map(SensitiveNames::normalized))
			.collect(Collectors.toUnmodifiableSet());
		this.sessionIds = Pattern.compile(";(?:"
				+ sessionParameters.stream().map(Pattern::quote).collect(Collectors.joining("|")) + ")=[^/?#;,>\"\\s]*",
				Pattern.CASE_INSENSITIVE);
	}

	/**
	 * Removes sensitive headers from a response, and session ids from its addresses: a
	 * stored response is replayed to every sender of the request, and the id would reveal
	 * the session of the first one.
	 * @param fields the header lines of the response
	 * @return the lines to store
	 */
	public List<HeaderField> removeFrom(List<HeaderField> fields) {
		List<HeaderField> stored = new ArrayList<>(fields.size());
		for (HeaderField field : fields) {
			switch (this.decisions.get(field.name())) {
				case STORED -> stored.add(field);
				case ADDRESS -> stored.add(withoutSession(field));
				case DROPPED -> {
				}
			}
		}
		return stored;
	}

	private HeaderField withoutSession(HeaderField field) {
		String address = field.value();
		return (address == null || address.indexOf(';') < 0) ? field
				: new HeaderField(field.name(), removeFrom(address), field.added());
	}

	private Decision decide(String writtenName) {
		String name = normalized(writtenName);
		if (isCredential(name) || isTrace(name) || this.denied.contains(name)
				|| DENIED_PREFIXES.stream().anyMatch(name::startsWith)) {
			return Decision.DROPPED;
		}
		return ADDRESSES.contains(name) ? Decision.ADDRESS : Decision.STORED;
	}

	/**
	 * Removes all session ids from an address. They are credentials, and differ between a
	 * request and its retry.
	 * @param address a path or a URL, or a header with several of them
	 * @return the address without them
	 */
	public String removeFrom(String address) {
		return (address.indexOf(';') < 0) ? address : this.sessionIds.matcher(address).replaceAll("");
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
	 * Returns whether the last word of a name, other than a number, names a credential.
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
		String lowerCase = normalized(name);
		return CREDENTIAL_PARAMETERS.contains(lowerCase) || FORGERY_TOKENS.contains(lowerCase);
	}

	private static String normalized(String name) {
		return name.trim().toLowerCase(Locale.ROOT);
	}

	private enum Decision {

		DROPPED, STORED, ADDRESS

	}

}
