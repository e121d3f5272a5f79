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

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestPropertySource;

import static dev.idempotency.sample.SampleClient.newKey;

@SampleTest
@TestPropertySource(properties = "sample.demo.enabled=false")
class DemoDisabledTests {

	@Autowired
	private SampleClient client;

	@Test
	void aRequestThatAsksForAFaultIsAnswered() {
		this.client.request("alice", HttpMethod.POST, "/orders")
			.header("Demo-Fault", "cut-after-commit")
			.header("Idempotency-Key", newKey())
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"item\":\"Helmet\",\"quantity\":1}")
			.exchange()
			.expectStatus()
			.isCreated();
	}

}
