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
package dev.idempotency.conformance.security;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Headers of a response that are credentials, or belong to one exchange.
 */
class CredentialHeaderTests {

	private static final List<String> DENIED = List.of("X-Auth-Token", "X-Api-Key", "Access-Token", "Refresh-Token",
			"DPoP-Nonce", "Replay-Nonce", "X-CSRF-Token", "X-XSRF-TOKEN", "X-Amz-Security-Token", "X-Vault-Token",
			"X-Amzn-Trace-Id", "X-Cloud-Trace-Context", "X-B3-TraceId", "Uber-Trace-Id", "X-Datadog-Trace-Id",
			"Request-Id", "RateLimit-Policy", "X-RateLimit-Remaining", "X-Rate-Limit-Reset");

	@Test
	@Tag("Y13")
	void areNeitherStoredNorReplayed() {
		try (RunningApplication application = RunningApplication.start(Tokens.class)) {
			HttpResponse<byte[]> first = application.post(ALICE, "/tokens", "y13", Labelled.json("y13"));
			assertOriginal(first, 200);
			assertThat(application.storedText("content")).contains("X-Kept").doesNotContain("credential-in-a-header");
			HttpResponse<byte[]> retry = application.post(ALICE, "/tokens", "y13", Labelled.json("y13"));
			assertReplay(retry, first);
			assertThat(retry.headers().firstValue("X-Kept")).contains("kept");
			for (String name : DENIED) {
				assertThat(first.headers().firstValue(name)).as(name).isPresent();
				assertThat(retry.headers().firstValue(name)).as(name).isEmpty();
			}
			// Alike, and neither a credential nor a rate limit.
			assertThat(retry.headers().firstValue("Next-Page-Token")).contains("page-2");
		}
	}

	@RestController
	static class Tokens {

		private final Effects effects;

		Tokens(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/tokens")
		ResponseEntity<Map<String, String>> issue(@RequestBody Labelled token) {
			HttpHeaders headers = new HttpHeaders();
			DENIED.forEach((name) -> headers.set(name, "credential-in-a-header"));
			headers.set("X-Kept", "kept");
			headers.set("Next-Page-Token", "page-2");
			return ResponseEntity.ok()
				.headers(headers)
				.body(Map.of("id", this.effects.record(token.label()).getId().toString()));
		}

	}

}
