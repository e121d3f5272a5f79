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

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.sample.SampleClient.StoredResponse;
import dev.idempotency.test.DeliverTwice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code /quotes}, answered through a future.
 */
@SampleTest
@DeliverTwice
class QuoteTests {

	@Autowired
	private SampleClient client;

	@Autowired
	private JdbcTemplate jdbc;

	@Test
	@Tag("O4")
	void aQuoteThatIsAskedForTwiceIsMadeOnce() {
		String key = newKey();
		StoredResponse first = answer(this.client.post("alice", "/quotes", key, quote(10.125)));
		assertThat(first.status()).isEqualTo(201);
		assertThat(JsonPath.<Integer>read(first.body(), "$.fareCents")).isEqualTo(11_125);
		assertThat(answer(this.client.post("alice", "/quotes", key, quote(10.125)))).isEqualTo(first.asReplay());
		assertThat(count(11_125)).isEqualTo(1);
	}

	@Test
	void quotesThatAreAskedForAtTheSameTimeAreMadeOnce() throws Exception {
		String key = newKey();
		List<StoredResponse> answers = SampleClient
			.race(List.of(() -> this.client.post("alice", "/quotes", key, quote(7)),
					() -> this.client.post("alice", "/quotes", key, quote(7)),
					() -> this.client.post("alice", "/quotes", key, quote(7))));
		assertThat(answers).extracting(StoredResponse::status).contains(201).isSubsetOf(201, 409);
		assertThat(count(8_000)).isEqualTo(1);
	}

	@Test
	@Tag("X4")
	void aQuoteForNowhereCanBeCorrected() {
		String key = newKey();
		this.client.post("alice", "/quotes", key, quote(91)).expectStatus().isBadRequest();
		this.client.post("alice", "/quotes", key, quote(5)).expectStatus().isCreated();
	}

	private int count(long fareCents) {
		return this.jdbc.queryForList("select 1 from quote where fare_cents = ?", fareCents).size();
	}

	private static String quote(double targetLat) {
		return "{\"originLat\":0,\"originLon\":0,\"targetLat\":" + targetLat + ",\"targetLon\":0}";
	}

}
