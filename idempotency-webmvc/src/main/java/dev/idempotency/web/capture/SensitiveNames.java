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
	 * Credentials and their equivalents: sessions, tokens, keys, nonces.
	 */
	private static final Set<String> CREDENTIALS = Set.of("authorization", "proxy-authorization", "www-authenticate",
			"proxy-authenticate", "authentication-info", "proxy-authentication-info", "authentication-control",
			"cookie", "cookie2", "set-cookie", "set-cookie2", "dpop", "dpop-nonce", "replay-nonce", "signature",
			"signature-input", "access-token", "refresh-token", "id-token", "auth-token", "session-token",
			"private-token", "job-token", "x-access-token", "x-refresh-token", "x-id-token", "x-auth", "x-auth-key",
			"x-session-id", "x-session-key", "x-client-secret", "x-subject-token", "x-vault-token", "x-token",
			"x-gitlab-token", "x-github-token", "x-shopify-access-token", "x-user-token", "x-device-token",
			"x-goog-iap-jwt-assertion", "x-goog-iam-authorization-token", "cf-access-jwt-assertion",
			"cf-access-client-secret", "x-ms-token-aad-access-token", "x-ms-token-aad-id-token",
			"x-ms-token-aad-refresh-token", "x-ms-client-principal", "x-forwarded-access-token",
			"x-forwarded-client-cert", "x-amzn-oidc-data", "x-amzn-oidc-accesstoken", "x-jwt", "x-jwt-assertion",
			"x-otp", "x-hub-signature", "x-hub-signature-256", "api-key", "apikey", "secret", "password");

	/**
	 * Endings and parts that only headers with credentials have.
	 */
	private static final List<String> CREDENTIAL_ENDINGS = List.of("-api-key", "-apikey", "-auth-token",
			"-access-token", "-refresh-token", "-security-token", "-session-token", "-secret", "-secret-key",
			"-password");

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
		return CREDENTIALS.contains(lowerCase) || CREDENTIAL_ENDINGS.stream().anyMatch(lowerCase::endsWith)
				|| CREDENTIAL_PARTS.stream().anyMatch(lowerCase::contains);
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
