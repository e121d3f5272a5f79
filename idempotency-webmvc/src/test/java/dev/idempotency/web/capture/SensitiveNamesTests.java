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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("Y13")
class SensitiveNamesTests {

	@ParameterizedTest
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
	@ValueSource(strings = { "traceparent", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context", "X-B3-TraceId", "X-Request-ID",
			"CF-Ray", "X-Datadog-Parent-Id" })
	void tracesAreRecognised(String name) {
		assertThat(SensitiveNames.isTrace(name)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Type", "Location", "ETag", "Link", "Next-Page-Token", "X-Continuation-Token",
			"X-Api-Version", "X-Author", "Token-Count", "X-Total-Count", "Cookie-Policy", "X-Secretariat",
			"Surrogate-Key", "X-Cache-Key", "X-Next-Token", "Idempotency-Key", "X-Order-Id", "X-Session-Length",
			"Key-Count", "42", "", "Content-Disposition", "X-Merchant-Signature" })
	void otherHeadersAreNeither(String name) {
		assertThat(SensitiveNames.isCredential(name)).isFalse();
		assertThat(SensitiveNames.isTrace(name)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "_csrf", "access_token", "ACCESS_TOKEN", "authenticity_token", "client_secret" })
	void credentialsInParametersAreRecognised(String name) {
		assertThat(SensitiveNames.isCredentialParameter(name)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "token", "card_token", "label", "password", "key" })
	void whatHandlersNeedIsNotLeftOut(String name) {
		assertThat(SensitiveNames.isCredentialParameter(name)).isFalse();
	}

}
