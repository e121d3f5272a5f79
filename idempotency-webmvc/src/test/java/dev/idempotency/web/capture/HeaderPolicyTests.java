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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.engine.codec.StoredResponse.HeaderField;

import static org.assertj.core.api.Assertions.assertThat;

class HeaderPolicyTests {

	private static final HeaderPolicy POLICY = new HeaderPolicy(List.of("X-Internal"),
			new SessionIds(List.of("jsessionid")));

	private static boolean isStored(String name) {
		return !POLICY.stored(List.of(new HeaderField(name, "value", false))).isEmpty();
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
		assertThat(POLICY.stored(List.of(new HeaderField("Location", "/rides/1;jsessionid=1F", false))))
			.containsExactly(new HeaderField("Location", "/rides/1", false));
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Type", "ETag", "X-Kept", "Next-Page-Token" })
	void otherHeadersAreStored(String name) {
		assertThat(isStored(name)).isTrue();
	}

}
