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

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.sample.SampleClient.StoredResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The user ops resolves a ride whose provider is down.
 */
@SampleTest
@Tag("Y7")
class OperateTests {

	private static final String RIDE = "{\"originLat\":0,\"originLon\":0,\"targetLat\":4,\"targetLon\":3}";

	@Autowired
	private SampleClient client;

	@AfterEach
	void repairTheProvider() {
		post("ops", HttpMethod.PUT, "/provider/faults", "{\"mode\":\"none\"}");
	}

	private StoredResponse post(String user, HttpMethod method, String path, String json) {
		return answer(
				this.client.request(user, method, path).contentType(MediaType.APPLICATION_JSON).body(json).exchange());
	}

	private StoredResponse lookUp(String user, String key) {
		return post(user, HttpMethod.POST, "/actuator/idempotencylookup",
				"{\"account\":\"alice\",\"key\":\"" + key + "\"}");
	}

	@Test
	void opsFindARideByItsKeyAndGiveItUp() {
		String key = newKey();
		post("ops", HttpMethod.PUT, "/provider/faults", "{\"mode\":\"unavailable\"}");
		assertThat(answer(this.client.post("alice", "/rides", key, RIDE)).status()).isEqualTo(503);
		StoredResponse found = lookUp("ops", key);
		assertThat(JsonPath.<String>read(found.body(), "$.state")).isEqualTo("waiting");
		assertThat(JsonPath.<String>read(found.body(), "$.operation")).isEqualTo("POST /rides");
		assertThat(found.body()).doesNotContain(key, "originLat");
		String abandon = "/actuator/idempotency/" + JsonPath.read(found.body(), "$.id") + "/abandon";
		assertThat(post("alice", HttpMethod.POST, abandon, "{\"status\":410}").status()).isEqualTo(403);
		assertThat(post("ops", HttpMethod.POST, abandon, "{\"status\":410}").status()).isEqualTo(200);
		StoredResponse retry = answer(this.client.post("alice", "/rides", key, RIDE));
		assertThat(retry.status()).isEqualTo(410);
		assertThat(retry.replayed()).isTrue();
		assertThat(JsonPath.<String>read(lookUp("ops", key).body(), "$.state")).isEqualTo("finished");
	}

	@Test
	void ridersLookNothingUp() {
		assertThat(lookUp("alice", "any").status()).isEqualTo(403);
		this.client.get("alice", "/actuator/idempotency/open").expectStatus().isForbidden();
	}

	@Test
	void opsSeeTheHealthOfTheStore() {
		StoredResponse health = answer(this.client.get("ops", "/actuator/health"));
		assertThat(JsonPath.<String>read(health.body(), "$.components.idempotency.status")).isEqualTo("UP");
	}

}
