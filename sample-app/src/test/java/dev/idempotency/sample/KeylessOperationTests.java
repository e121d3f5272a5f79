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

import java.util.List;

import dev.idempotency.sample.SampleClient.StoredResponse;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The operations that are safe to retry without a key.
 */
@SampleTest
class KeylessOperationTests {

	@Autowired
	private SampleClient client;

	@Test
	void aProfileIsChangedOnceForEachVersion() {
		String etag = etag();
		String name = newKey();
		rename(etag, name).expectStatus()
			.isOk()
			.expectHeader()
			.value("ETag", (next) -> assertThat(next).isNotEqualTo(etag));
		rename(etag, name).expectStatus().isEqualTo(412);
		assertThat(answer(this.client.get("alice", "/profile")).body()).contains(name);
	}

	@Test
	void ofTwoChangesOfOneVersionOneIsMade() throws Exception {
		String etag = etag();
		List<StoredResponse> answers = SampleClient.race(List.of(() -> rename(etag, "A"), () -> rename(etag, "B")));
		assertThat(answers).extracting(StoredResponse::status).containsExactlyInAnyOrder(200, 412);
	}

	@Test
	void aProfileIsNotChangedUnconditionally() {
		this.client.request("alice", HttpMethod.PUT, "/profile")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"displayName\":\"A\"}")
			.exchange()
			.expectStatus()
			.isEqualTo(428);
	}

	@Test
	void aBookingIsMadeOnceAndThenFound() throws Exception {
		String path = "/bookings/" + newKey();
		List<StoredResponse> answers = SampleClient
			.race(List.of(() -> book(path, 2), () -> book(path, 2), () -> book(path, 2), () -> book(path, 2)));
		assertThat(answers).extracting(StoredResponse::status).containsExactlyInAnyOrder(201, 200, 200, 200);
		book(path, 3).expectStatus().isEqualTo(409);
	}

	private String etag() {
		return this.client.get("alice", "/profile")
			.returnResult(String.class)
			.getResponseHeaders()
			.getFirst(HttpHeaders.ETAG);
	}

	private RestTestClient.ResponseSpec rename(String etag, String name) {
		return this.client.request("alice", HttpMethod.PUT, "/profile")
			.header(HttpHeaders.IF_MATCH, etag)
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"displayName\":\"" + name + "\"}")
			.exchange();
	}

	private RestTestClient.ResponseSpec book(String path, int seats) {
		return this.client.request("alice", HttpMethod.PUT, path)
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"seats\":" + seats + "}")
			.exchange();
	}

}
