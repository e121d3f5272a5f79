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
import java.util.Map;
import java.util.stream.Stream;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

import dev.idempotency.sample.SampleClient.StoredResponse;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The description of the sample's protected operations for clients, over HTTP.
 */
@SampleTest
@Tag("O2")
class OpenApiTests {

	private static final String DOCUMENT = "/v3/api-docs";

	private static final String PROBLEMS = "https://idempotency.dev/problems/";

	@Autowired
	private SampleClient client;

	@ParameterizedTest
	@ValueSource(strings = { DOCUMENT, "/swagger-ui/index.html" })
	void usersWhoAreSignedInMayReadIt(String path) {
		this.client.get("alice", path).expectStatus().isOk();
		this.client.anonymous(HttpMethod.GET, path).exchange().expectStatus().isUnauthorized();
	}

	@Test
	void annotatedOperationsShowTheHeaderItsTimeToLiveAndTheProblems() {
		DocumentContext document = read(DOCUMENT);
		for (String path : List.of("/payments", "/payments/{id}/refunds", "/quotes")) {
			String operation = "$.paths['" + path + "'].post";
			List<Map<String, Object>> headers = document.read(operation + ".parameters[?(@.in == 'header')]");
			assertThat(headers).as(path).singleElement().satisfies((header) -> {
				assertThat(header).containsEntry("name", "Idempotency-Key").containsEntry("required", true);
				assertThat((String) header.get("description")).contains("PT24H", "Same request: ");
			});
			assertThat(types(document, operation, "400")).contains(PROBLEMS + "missing-key",
					PROBLEMS + "malformed-key");
			assertThat(types(document, operation, "409")).contains(PROBLEMS + "in-progress");
			assertThat(types(document, operation, "422")).contains(PROBLEMS + "key-reused");
			assertThat(types(document, operation, "503")).contains(PROBLEMS + "store-unavailable");
		}
		assertThat(document.read("$.paths['/payments/{id}/refunds'].post", Map.class).toString())
			.contains("Scope: resource", "`payments`");
		assertThat(types(document, "$.paths['/rides'].post", "503")).contains(PROBLEMS + "interrupted");
	}

	@Test
	void operationsThatNeedNoKeyShowNone() {
		DocumentContext document = read(DOCUMENT);
		for (String operation : List.of("$.paths['/payments'].get", "$.paths['/bookings/{reference}'].put",
				"$.paths['/profile'].put")) {
			assertThat(document.read(operation, Map.class).toString()).as(operation)
				.contains("responses")
				.doesNotContain("Idempotency-Key", "IdempotencyProblem");
		}
	}

	/**
	 * All but the HTML form, which springdoc does not list.
	 */
	@Test
	void everyProtectedOperationShowsTheHeader() {
		Map<String, Map<String, Object>> paths = read(DOCUMENT).read("$.paths");
		paths.values().removeIf((operations) -> !operations.toString().contains("Idempotency-Key"));
		assertThat(paths).containsOnlyKeys("/orders", "/payments", "/payments/{id}/refunds", "/quotes", "/rides");
	}

	/**
	 * The published description matches the behaviour.
	 */
	@Test
	void aProblemIsAsPublishedAndLinksToTheDocumentation() {
		DocumentContext document = read(DOCUMENT);
		String payment = "{\"amountCents\":%d,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}";
		String key = newKey();
		this.client.post("alice", "/payments", key, payment.formatted(100)).expectStatus().isCreated();
		Stream
			.of(this.client.post("alice", "/payments", key, payment.formatted(200)),
					this.client.post("alice", "/payments", "two words", payment.formatted(100)))
			.forEach((response) -> {
				response.expectHeader().valueEquals(HttpHeaders.LINK, "</swagger-ui.html>; rel=\"describedby\"");
				StoredResponse answer = answer(response);
				String type = JsonPath.read(answer.body(), "$.type");
				assertThat(types(document, "$.paths['/payments'].post", Integer.toString(answer.status())))
					.contains(type);
			});
	}

	private DocumentContext read(String path) {
		return JsonPath.parse(answer(this.client.get("alice", path)).body());
	}

	private static List<String> types(DocumentContext document, String operation, String status) {
		return document
			.read(operation + ".responses['" + status + "'].content['application/problem+json'].examples.*.value.type");
	}

}
