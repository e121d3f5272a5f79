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
package dev.idempotency.conformance.request;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers on one path that something other than path and method tells apart.
 */
class HandlerIdentityTests {

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Payments.class, "spring.mvc.apiversion.use.header=X-Version",
				"spring.mvc.apiversion.default=1.0", "spring.mvc.apiversion.supported=2.0");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@Tag("S9")
	@CsvSource({ "account, X-Action, capture, refund", "resource, X-Action, capture, refund",
			"account, Accept, application/json, application/vnd.refund+json",
			"resource, Accept, application/json, application/vnd.refund+json", "account, X-Version, 1.0, 2.0",
			"resource, X-Version, 1.0, 2.0" })
	void aKeyThatStandsForOneHandlerIsRefusedByTheOtherOfItsPath(String scope, String header, String one,
			String other) {
		HttpResponse<byte[]> captured = send(scope, header, one);
		assertOriginal(captured, 200);
		assertProblem(send(scope, header, other), 422, "key-reused");
		assertReplay(send(scope, header, one), captured);
		assertThat(application.effects("capture " + this.key)).isEqualTo(1);
		assertThat(application.effects("refund " + this.key)).isZero();
	}

	@ParameterizedTest
	@Tag("S9")
	@CsvSource({ "X-Action, capture, refund", "Accept, application/json, application/vnd.refund+json",
			"X-Version, 1.0, 2.0" })
	void inTheScopeOfTheEndpointTheKeysOfBothAreUnrelated(String header, String one, String other) {
		HttpResponse<byte[]> captured = send("endpoint", header, one);
		HttpResponse<byte[]> refunded = send("endpoint", header, other);
		assertOriginal(captured, 200);
		assertOriginal(refunded, 200);
		assertReplay(send("endpoint", header, one), captured);
		assertReplay(send("endpoint", header, other), refunded);
		assertThat(application.effects("capture " + this.key)).isEqualTo(1);
		assertThat(application.effects("refund " + this.key)).isEqualTo(1);
	}

	private HttpResponse<byte[]> send(String scope, String header, String value) {
		HttpRequest.Builder request = application
			.json(ALICE, "/" + scope + "/" + header.toLowerCase(java.util.Locale.ROOT) + "/" + this.key, "{}")
			.header("Idempotency-Key", this.key)
			.header(header, value);
		return application.send(request);
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping(path = "/account/x-action/{label}", headers = "X-Action=capture")
		Map<String, String> capture(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent
		@PostMapping(path = "/account/x-action/{label}", headers = "X-Action=refund")
		Map<String, String> refund(@PathVariable String label) {
			return effect("refund " + label);
		}

		@Idempotent
		@PostMapping(path = "/account/accept/{label}", produces = "application/json")
		Map<String, String> captureAsJson(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent
		@PostMapping(path = "/account/accept/{label}", produces = "application/vnd.refund+json")
		Map<String, String> refundAsJson(@PathVariable String label) {
			return effect("refund " + label);
		}

		@Idempotent
		@PostMapping(path = "/account/x-version/{label}", version = "1.0")
		Map<String, String> captureOfVersionOne(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent
		@PostMapping(path = "/account/x-version/{label}", version = "2.0")
		Map<String, String> refundOfVersionTwo(@PathVariable String label) {
			return effect("refund " + label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "payments")
		@PostMapping(path = "/resource/x-action/{label}", headers = "X-Action=capture")
		Map<String, String> captureResource(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "payments")
		@PostMapping(path = "/resource/x-action/{label}", headers = "X-Action=refund")
		Map<String, String> refundResource(@PathVariable String label) {
			return effect("refund " + label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "payments")
		@PostMapping(path = "/resource/accept/{label}", produces = "application/json")
		Map<String, String> captureResourceAsJson(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "payments")
		@PostMapping(path = "/resource/accept/{label}", produces = "application/vnd.refund+json")
		Map<String, String> refundResourceAsJson(@PathVariable String label) {
			return effect("refund " + label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "payments")
		@PostMapping(path = "/resource/x-version/{label}", version = "1.0")
		Map<String, String> captureResourceOfVersionOne(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "payments")
		@PostMapping(path = "/resource/x-version/{label}", version = "2.0")
		Map<String, String> refundResourceOfVersionTwo(@PathVariable String label) {
			return effect("refund " + label);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping(path = "/endpoint/x-action/{label}", headers = "X-Action=capture")
		Map<String, String> captureEndpoint(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping(path = "/endpoint/x-action/{label}", headers = "X-Action=refund")
		Map<String, String> refundEndpoint(@PathVariable String label) {
			return effect("refund " + label);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping(path = "/endpoint/accept/{label}", produces = "application/json")
		Map<String, String> captureEndpointAsJson(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping(path = "/endpoint/accept/{label}", produces = "application/vnd.refund+json")
		Map<String, String> refundEndpointAsJson(@PathVariable String label) {
			return effect("refund " + label);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping(path = "/endpoint/x-version/{label}", version = "1.0")
		Map<String, String> captureEndpointOfVersionOne(@PathVariable String label) {
			return effect("capture " + label);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping(path = "/endpoint/x-version/{label}", version = "2.0")
		Map<String, String> refundEndpointOfVersionTwo(@PathVariable String label) {
			return effect("refund " + label);
		}

		private Map<String, String> effect(String label) {
			return Map.of("id", this.effects.record(label).getId().toString());
		}

	}

}
