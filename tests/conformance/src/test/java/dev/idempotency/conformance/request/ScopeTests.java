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

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group S: the space within which a key stands for one request.
 */
class ScopeTests {

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Orders.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@Tag("S1")
	@ValueSource(strings = { "account", "endpoint", "resource" })
	void aKeyOfAnotherUserIsAnotherKey(String scope) {
		String path = "/" + scope + "/" + this.key;
		HttpResponse<byte[]> ofAlice = application.post(ALICE, path, this.key, "{}");
		HttpResponse<byte[]> ofBob = application.post(BOB, path, this.key, "{}");
		assertOriginal(ofAlice, 200);
		assertOriginal(ofBob, 200);
		assertThat(ofBob.body()).isNotEqualTo(ofAlice.body());
		assertReplay(application.post(ALICE, path, this.key, "{}"), ofAlice);
		assertReplay(application.post(BOB, path, this.key, "{}"), ofBob);
		assertThat(application.effects(this.key)).isEqualTo(2);
	}

	@Test
	@Tag("S1")
	void aKeyOfAnotherUserTellsNothingAboutItsRequest() {
		assertOriginal(application.post(ALICE, "/account/" + this.key, this.key, "{\"a\":1}"), 200);
		assertOriginal(application.post(BOB, "/account/" + this.key, this.key, "{\"b\":2}"), 200);
	}

	@Test
	@Tag("S1")
	void aRetryWithoutCredentialsGetsNothingOfTheStoredAnswer() {
		String path = "/account/" + this.key;
		HttpResponse<byte[]> first = application.post(ALICE, path, this.key, "{}");
		HttpResponse<byte[]> retry = application.send(application.anonymous(path)
			.header("Idempotency-Key", this.key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{}")));
		assertOriginal(retry, 401);
		assertThat(text(retry)).doesNotContain(text(first));
	}

	@Test
	@Tag("S3")
	void inTheScopeOfTheAccountAKeyStandsForOneRequestWhereverItIsSent() {
		HttpResponse<byte[]> first = application.post(ALICE, "/account/" + this.key, this.key, "{}");
		assertProblem(application.post(ALICE, "/account-too/" + this.key, this.key, "{}"), 422, "key-reused");
		assertReplay(application.post(ALICE, "/account/" + this.key, this.key, "{}"), first);
		assertThat(application.effects(this.key)).isEqualTo(1);
	}

	@Test
	@Tag("S3")
	void inTheScopeOfTheEndpointKeysOfTwoMethodsAreUnrelated() {
		HttpResponse<byte[]> first = application.post(ALICE, "/endpoint/" + this.key, this.key, "{}");
		HttpResponse<byte[]> other = application.post(ALICE, "/endpoint-too/" + this.key, this.key, "{}");
		assertOriginal(first, 200);
		assertOriginal(other, 200);
		assertReplay(application.post(ALICE, "/endpoint/" + this.key, this.key, "{}"), first);
		assertReplay(application.post(ALICE, "/endpoint-too/" + this.key, this.key, "{}"), other);
		assertThat(application.effects(this.key)).isEqualTo(2);
	}

	@Test
	@Tag("S3")
	void inTheScopeOfAResourceTheEndpointsThatNameItShareTheirKeys() {
		HttpResponse<byte[]> first = application.post(ALICE, "/resource/" + this.key, this.key, "{}");
		assertProblem(application.post(ALICE, "/resource-too/" + this.key, this.key, "{}"), 422, "key-reused");
		assertOriginal(application.post(ALICE, "/resource-other/" + this.key, this.key, "{}"), 200);
		assertReplay(application.post(ALICE, "/resource/" + this.key, this.key, "{}"), first);
		assertThat(application.effects(this.key)).isEqualTo(2);
	}

	@Test
	@Tag("S3")
	void theScopesDoNotShareTheirKeys() {
		for (String scope : new String[] { "account", "endpoint", "resource" }) {
			assertOriginal(application.post(ALICE, "/" + scope + "/" + this.key, this.key, "{}"), 200);
		}
		assertThat(application.effects(this.key)).isEqualTo(3);
	}

	@ParameterizedTest
	@Tag("S4")
	@ValueSource(strings = { "account", "endpoint", "resource" })
	void anotherPathOfTheSameRouteNeverGetsTheAnswer(String scope) {
		HttpResponse<byte[]> first = application.post(ALICE, "/" + scope + "/1" + this.key, this.key, "{}");
		HttpResponse<byte[]> other = application.post(ALICE, "/" + scope + "/2" + this.key, this.key, "{}");
		assertOriginal(first, 200);
		assertProblem(other, 422, "key-reused");
		assertThat(text(other)).doesNotContain(text(first), "1" + this.key);
		assertThat(application.effects("2" + this.key)).isZero();
	}

	@RestController
	static class Orders {

		private final Effects effects;

		Orders(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/account/{label}")
		Map<String, Object> account(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(scope = Scope.ACCOUNT)
		@PostMapping("/account-too/{label}")
		Map<String, Object> accountToo(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping("/endpoint/{label}")
		Map<String, Object> endpoint(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(scope = Scope.ENDPOINT)
		@PostMapping("/endpoint-too/{label}")
		Map<String, Object> endpointToo(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "orders")
		@PostMapping("/resource/{label}")
		Map<String, Object> resource(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "${resource.of.this.test:orders}")
		@PostMapping("/resource-too/{label}")
		Map<String, Object> resourceToo(@PathVariable String label) {
			return effect(label);
		}

		@Idempotent(scope = Scope.RESOURCE, resource = "deliveries")
		@PostMapping("/resource-other/{label}")
		Map<String, Object> resourceOther(@PathVariable String label) {
			return effect(label);
		}

		private Map<String, Object> effect(String label) {
			return Map.of("id", this.effects.record(label).getId());
		}

	}

}
