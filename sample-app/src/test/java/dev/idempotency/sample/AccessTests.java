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
package dev.idempotency.sample;

import dev.idempotency.sample.SampleClient.StoredResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Access control of the pages and the API.
 */
@SampleTest
class AccessTests {

	@Autowired
	private SampleClient client;

	@ParameterizedTest
	@ValueSource(strings = { "/", "/page/main.js", "/page/style.css", "/actuator/health" })
	void everybodyMaySee(String path) {
		this.client.anonymous(HttpMethod.GET, path).exchange().expectStatus().isOk();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/payments", "/orders", "/orders/form", "/profile", "/actuator", "/actuator/metrics" })
	void onlyUsersMaySee(String path) {
		this.client.anonymous(HttpMethod.GET, path).exchange().expectStatus().isUnauthorized();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/actuator", "/actuator/metrics", "/actuator/prometheus", "/actuator/env",
			"/actuator/idempotency", "/actuator/idempotencyjobs" })
	void onlyOpsMaySee(String path) {
		this.client.get("alice", path).expectStatus().isForbidden();
		this.client.get("ops", path).expectStatus().isOk();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/index.html", "/orders/form", "/error", "/no-such-page", "/swagger-ui/index.html" })
	void everyPageRunsItsOwnScriptsAlone(String path) {
		this.client.request("alice", HttpMethod.GET, path)
			.exchange()
			.expectHeader()
			.value("Content-Security-Policy",
					(policy) -> assertThat(policy).contains("default-src 'none'", "script-src 'self'"));
	}

	@Test
	@Tag("Y1")
	void aRetryWithoutCredentialsGetsNothing() {
		String key = newKey();
		String item = newKey();
		String order = "{\"item\":\"" + item + "\",\"quantity\":1}";
		this.client.post("alice", "/orders", key, order).expectStatus().isCreated();
		StoredResponse retry = answer(this.client.anonymous(HttpMethod.POST, "/orders")
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.body(order)
			.exchange());
		assertThat(retry.status()).isEqualTo(401);
		assertThat(retry.replayed()).isFalse();
		assertThat(retry.body()).doesNotContain(item);
	}

}
