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

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.engine.codec.StoredResponse.HeaderField;

import static org.assertj.core.api.Assertions.assertThat;

class SensitiveNamesTests {

	private static final SensitiveNames NAMES = new SensitiveNames(List.of("X-Internal"), List.of("jsessionid", "SID"));

	private static boolean isStored(String name) {
		return !NAMES.removeFrom(List.of(new HeaderField(name, "value", false))).isEmpty();
	}

	@ParameterizedTest
	@Tag("Y13")
	@ValueSource(strings = { "Authorization", "Set-Cookie", "X-Auth-Token", "X-API-Key", "Api-Key", "Access-Token",
			"DPoP-Nonce", "Replay-Nonce", "X-CSRF-Token", "X-XSRF-TOKEN", "X-Amz-Security-Token", " Cookie ",
			"Ocp-Apim-Client-Secret", "X-Acme-Refresh-Token", "X-Authorization", "X-Api-Token", "X-Jwt-Token",
			"X-Bearer-Token", "Session-Id", "Token", "Ocp-Apim-Subscription-Key", "X-Amz-Cookie-2", "Cookie2",
			"Mcp-Session-Id", "JSESSIONID", "AccessToken", "X-Functions-Key", "X_AUTH", "X-Vault-Token",
			"X-Hub-Signature-256", "X-Goog-Iap-Jwt-Assertion", "Proxy-Authenticate", "X-Otp", "X-Client-Secret",
			"X-CSRF", "Xsrf-Header" })
	void credentialsAreRecognised(String name) {
		assertThat(SensitiveNames.isCredential(name)).isTrue();
	}

	@ParameterizedTest
	@Tag("Y13")
	@ValueSource(strings = { "traceparent", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context", "X-B3-TraceId", "X-Request-ID",
			"CF-Ray", "X-Datadog-Parent-Id" })
	void tracesAreRecognised(String name) {
		assertThat(SensitiveNames.isTrace(name)).isTrue();
	}

	@ParameterizedTest
	@Tag("Y13")
	@ValueSource(strings = { "Content-Type", "Location", "ETag", "Link", "Next-Page-Token", "X-Continuation-Token",
			"X-Api-Version", "X-Author", "Token-Count", "X-Total-Count", "Cookie-Policy", "X-Secretariat",
			"Surrogate-Key", "X-Cache-Key", "X-Next-Token", "Idempotency-Key", "X-Order-Id", "X-Session-Length",
			"Key-Count", "42", "", "Content-Disposition", "X-Merchant-Signature" })
	void otherHeadersAreNeither(String name) {
		assertThat(SensitiveNames.isCredential(name)).isFalse();
		assertThat(SensitiveNames.isTrace(name)).isFalse();
	}

	@ParameterizedTest
	@Tag("Y13")
	@ValueSource(strings = { "_csrf", "access_token", "ACCESS_TOKEN", "authenticity_token", "client_secret" })
	void credentialsInParametersAreRecognised(String name) {
		assertThat(SensitiveNames.isCredentialParameter(name)).isTrue();
	}

	@ParameterizedTest
	@Tag("Y13")
	@ValueSource(strings = { "token", "card_token", "label", "password", "key" })
	void whatHandlersNeedIsNotLeftOut(String name) {
		assertThat(SensitiveNames.isCredentialParameter(name)).isFalse();
	}

	@ParameterizedTest
	@Tag("Y13")
	@ValueSource(strings = { "Set-Cookie", "Authorization", "X-Api-Key", "X-CSRF-Token" })
	void credentialsAreNotStored(String name) {
		assertThat(isStored(name)).isFalse();
	}

	@ParameterizedTest
	@Tag("R3")
	@ValueSource(strings = { "traceparent", "X-Request-Id", "X-B3-TraceId" })
	void tracesAreNotStored(String name) {
		assertThat(isStored(name)).isFalse();
	}

	@ParameterizedTest
	@Tag("R3")
	@ValueSource(strings = { "Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Date", "Age",
			"Content-Length" })
	void fieldsOfOneExchangeAreNotStored(String name) {
		assertThat(isStored(name)).isFalse();
	}

	@ParameterizedTest
	@Tag("R15")
	@ValueSource(strings = { "Proxy-Status", "X-RateLimit-Remaining", "X-Rate-Limit-Reset", "RateLimit",
			"Rate-Limit-Policy", "X-App-Rate-Limit", "X-Method-Rate-Limit", "Access-Control-Allow-Origin" })
	void limitsOfRatesAndGrantsToOriginsAreNotStored(String name) {
		assertThat(isStored(name)).isFalse();
	}

	@Test
	@Tag("R3")
	void headersThatTheApplicationDeniesAreNotStored() {
		assertThat(isStored("x-internal")).isFalse();
	}

	@Test
	void addressesAreStoredWithoutSessions() {
		assertThat(NAMES.removeFrom(List.of(new HeaderField("Location", "/rides/1;jsessionid=1F", false))))
			.containsExactly(new HeaderField("Location", "/rides/1", false));
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Type", "ETag", "X-Kept", "Next-Page-Token" })
	void otherHeadersAreStored(String name) {
		assertThat(isStored(name)).isTrue();
	}

	@ParameterizedTest
	@Tag("Y11")
	@CsvSource({ "/a;jsessionid=1F/b, /a/b", "/a;SID=1F/b, /a/b", "/a;v=1;sid=2, /a;v=1",
			"/a;JSESSIONID=1F;v=2, /a;v=2", "/a;v=1, /a;v=1" })
	void aPathLosesItsSession(String uri, String kept) {
		assertThat(NAMES.removeFrom(uri)).isEqualTo(kept);
	}

}
