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

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.sample.SampleClient.StoredResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.client.RestTestClient;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@code /rides}: phases, a charge at the provider, a receipt as a staged job.
 */
@SampleTest
class RideTests {

	private static final String RIDE = "{\"originLat\":0,\"originLon\":0,\"targetLat\":4,\"targetLon\":3}";

	@Autowired
	private SampleClient client;

	@Autowired
	private JdbcTemplate jdbc;

	@AfterEach
	void repairTheProvider() {
		switchTo("{\"mode\":\"none\"}");
	}

	private void switchTo(String faults) {
		this.client.request("ops", HttpMethod.PUT, "/provider/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body(faults)
			.exchange()
			.expectStatus()
			.is2xxSuccessful();
	}

	private RestTestClient.ResponseSpec ride(String key, String body) {
		return this.client.post("alice", "/rides", key, body);
	}

	private int charges() {
		return JsonPath.read(answer(this.client.get("alice", "/provider/charges")).body(), "$.count");
	}

	private int receiptsOf(String rideId) {
		List<Object> receipts = JsonPath.read(answer(this.client.get("alice", "/receipts")).body(),
				"$[?(@.rideId == '" + rideId + "')]");
		return receipts.size();
	}

	@Test
	@Tag("P1")
	void aRideThatIsSentThreeTimesIsChargedOnceAndHasOneReceipt() {
		String key = newKey();
		int before = charges();
		StoredResponse first = answer(ride(key, RIDE));
		assertThat(first.status()).isEqualTo(201);
		String id = JsonPath.read(first.body(), "$.id");
		assertThat(first.location()).isEqualTo("/rides/" + id);
		assertThat(JsonPath.<String>read(first.body(), "$.chargeId")).startsWith("ch_");
		assertThat(JsonPath.<Integer>read(first.body(), "$.fareCents")).isEqualTo(6_000);
		assertThat(answer(ride(key, RIDE))).isEqualTo(first.asReplay());
		assertThat(answer(ride(key, RIDE))).isEqualTo(first.asReplay());
		assertThat(charges() - before).isEqualTo(1);
		await().until(() -> receiptsOf(id) == 1);
		assertThat(JsonPath.<List<Object>>read(answer(this.client.get("alice", "/rides")).body(),
				"$[?(@.id == '" + id + "' && @.status == 'booked')]"))
			.hasSize(1);
	}

	@Test
	@Tag("P2")
	void aRideIsResumedWhenTheProviderIsBack() {
		String key = newKey();
		int before = charges();
		switchTo("{\"mode\":\"unavailable\"}");
		StoredResponse down = answer(ride(key, RIDE));
		assertThat(down.status()).isEqualTo(503);
		assertThat(down.body()).contains("interrupted");
		switchTo("{\"mode\":\"fail-after-charge\"}");
		assertThat(unlessUnderWay(key).status()).isEqualTo(503);
		switchTo("{\"mode\":\"none\"}");
		assertThat(unlessUnderWay(key).status()).isEqualTo(201);
		assertThat(charges() - before).isEqualTo(1);
	}

	@Test
	@Tag("P3")
	void aDeclinedRideStaysDeclined() {
		String key = newKey();
		String declined = RIDE.replace("}", ",\"cardToken\":\"tok_declined\"}");
		int before = charges();
		StoredResponse first = answer(ride(key, declined));
		assertThat(first.status()).isEqualTo(402);
		assertThat(first.body()).contains("Card declined");
		assertThat(answer(ride(key, declined))).isEqualTo(first.asReplay());
		assertThat(charges()).isEqualTo(before);
	}

	@Test
	@Tag("X4")
	void aRideToNowhereCanBeCorrected() {
		String key = newKey();
		ride(key, "{\"originLat\":91,\"originLon\":0,\"targetLat\":0,\"targetLon\":0}").expectStatus().isBadRequest();
		ride(key, RIDE).expectStatus().isCreated();
	}

	@Test
	@Tag("P8")
	void ofRidesWhoseProviderFailsHalfOfTheTimeEachIsBookedAndChargedOnce() throws Exception {
		int before = charges();
		switchTo("{\"mode\":\"none\",\"failureRate\":0.5}");
		List<String> keys = IntStream.range(0, 24).mapToObj((i) -> newKey()).toList();
		List<Supplier<StoredResponse>> rides = keys.stream()
			.<Supplier<StoredResponse>>map((key) -> () -> untilDone(key))
			.toList();
		List<StoredResponse> answers = SampleClient.inParallel(8, rides);
		assertThat(answers).extracting(StoredResponse::status).containsOnly(201);
		assertThat(answers).extracting((answer) -> JsonPath.<String>read(answer.body(), "$.id"))
			.doesNotHaveDuplicates()
			.hasSize(24);
		assertThat(charges() - before).isEqualTo(24);
		assertThat(this.jdbc.queryForList("select 1 from idempotency_lease where namespace <> ''")).isEmpty();
	}

	/**
	 * The completer may be trying it at this moment.
	 */
	private StoredResponse unlessUnderWay(String key) {
		return await().atMost(Duration.ofSeconds(60))
			.until(() -> answer(ride(key, RIDE)), (answer) -> answer.status() != 409);
	}

	private StoredResponse untilDone(String key) {
		return await().atMost(Duration.ofSeconds(60))
			.until(() -> answer(ride(key, RIDE)), (answer) -> answer.status() < 409);
	}

}
