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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.sample.SampleClient.StoredResponse;
import dev.idempotency.test.DeliverTwice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code /orders}, as JSON and as a form.
 */
@SampleTest
@DeliverTwice
class OrderTests {

	private static final Pattern KEY_FIELD = Pattern
		.compile("<input type=\"hidden\" name=\"_idempotency_key\" value=\"([^\"]+)\">");

	@Autowired
	private SampleClient client;

	@Test
	@Tag("R1")
	void anOrderThatIsSentTwiceIsMadeOnce() {
		String item = newKey();
		String key = newKey();
		StoredResponse first = answer(this.client.post("alice", "/orders", key, order(item)));
		assertThat(first.status()).isEqualTo(201);
		assertThat(JsonPath.<String>read(first.body(), "$.item")).isEqualTo(item);
		assertThat(answer(this.client.post("alice", "/orders", key, order(item)))).isEqualTo(first.asReplay());
		assertThat(orders("alice", item)).isEqualTo(1);
		assertThat(orders("bob", item)).isZero();
	}

	@Test
	@Tag("F1")
	void aChangedOrderIsRefused() {
		String key = newKey();
		this.client.post("alice", "/orders", key, order("a")).expectStatus().isCreated();
		assertThat(answer(this.client.post("alice", "/orders", key, order("b"))).status()).isEqualTo(422);
	}

	@Test
	@Tag("S3")
	void theKeysOfOrdersAreTheirOwn() {
		String key = newKey();
		this.client
			.post("alice", "/payments", key, "{\"amountCents\":5000,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}")
			.expectStatus()
			.isCreated();
		this.client.post("alice", "/orders", key, order("a")).expectStatus().isCreated();
	}

	@Test
	void aFormThatIsSubmittedTwiceMakesOneOrder() {
		String item = newKey();
		String form = "_idempotency_key=" + freshKey() + "&item=" + item + "&quantity=2";
		StoredResponse first = answer(this.client.postForm("alice", "/orders", form));
		assertThat(first.status()).isEqualTo(303);
		assertThat(first.location()).startsWith("/orders/form?made=");
		assertThat(answer(this.client.postForm("alice", "/orders", form))).isEqualTo(first.asReplay());
		assertThat(orders("alice", item)).isEqualTo(1);
		assertThat(answer(this.client.get("alice", first.location())).body())
			.contains("<li>2 &times; " + item + "</li>")
			.contains(first.location().substring("/orders/form?made=".length()));
	}

	@Test
	void aFormThatIsSubmittedTwiceAtTheSameTimeMakesOneOrder() throws Exception {
		String item = newKey();
		String form = "_idempotency_key=" + freshKey() + "&item=" + item + "&quantity=2";
		List<StoredResponse> answers = SampleClient.race(List.of(() -> this.client.postForm("alice", "/orders", form),
				() -> this.client.postForm("alice", "/orders", form)));
		assertThat(answers).extracting(StoredResponse::status).contains(303).isSubsetOf(303, 409);
		assertThat(orders("alice", item)).isEqualTo(1);
	}

	@Test
	void eachFormCarriesAKeyOfItsOwn() {
		assertThat(freshKey()).isNotEqualTo(freshKey());
	}

	@Test
	@Tag("K1")
	void aFormWithoutAKeyIsRefused() {
		StoredResponse answer = answer(this.client.postForm("alice", "/orders", "item=a&quantity=1"));
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.body()).contains("missing-key");
	}

	@Test
	@Tag("X4")
	void aFormThatIsNotValidSaysSoAndCanBeCorrected() {
		String key = freshKey();
		StoredResponse invalid = answer(
				this.client.postForm("alice", "/orders", "_idempotency_key=" + key + "&item=&quantity=x"));
		assertThat(invalid.status()).isEqualTo(400);
		assertThat(invalid.body()).contains("Please fill in an item").containsPattern(KEY_FIELD);
		StoredResponse corrected = answer(
				this.client.postForm("alice", "/orders", "_idempotency_key=" + key + "&item=a&quantity=1"));
		assertThat(corrected.status()).isEqualTo(303);
	}

	@Test
	void whatAUserTypesIsNotHtml() {
		this.client
			.postForm("bob", "/orders",
					"_idempotency_key=" + freshKey() + "&item=%3Cscript%3Ealert(1)%3C/script%3E&quantity=1")
			.expectStatus()
			.isSeeOther();
		assertThat(answer(this.client.get("bob", "/orders/form")).body()).doesNotContain("<script")
			.contains("&lt;script&gt;alert(1)&lt;/script&gt;");
	}

	@Test
	void aFormOfAnotherSiteIsRefused() {
		for (String[] header : new String[][] { { "Sec-Fetch-Site", "cross-site" },
				{ "Origin", "https://elsewhere.example" } }) {
			String item = newKey();
			this.client.request("alice", HttpMethod.POST, "/orders")
				.header(header[0], header[1])
				.contentType(MediaType.APPLICATION_FORM_URLENCODED)
				.body("_idempotency_key=" + newKey() + "&item=" + item + "&quantity=1")
				.exchange()
				.expectStatus()
				.isForbidden();
			assertThat(orders("alice", item)).isZero();
		}
	}

	private String freshKey() {
		StoredResponse page = answer(this.client.get("alice", "/orders/form"));
		assertThat(page.status()).isEqualTo(200);
		Matcher field = KEY_FIELD.matcher(page.body());
		assertThat(field.find()).isTrue();
		return field.group(1);
	}

	private long orders(String user, String item) {
		String json = answer(this.client.get(user, "/orders")).body();
		return JsonPath.<List<String>>read(json, "$[*].item").stream().filter(item::equals).count();
	}

	private static String order(String item) {
		return "{\"item\":\"%s\",\"quantity\":1}".formatted(item);
	}

}
