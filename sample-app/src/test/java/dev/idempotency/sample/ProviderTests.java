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

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.sample.SampleClient.StoredResponse;
import dev.idempotency.sample.provider.Charge;
import dev.idempotency.sample.provider.ChargeDeclinedException;
import dev.idempotency.sample.provider.ChargeRequest;
import dev.idempotency.sample.provider.PaymentProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The payment provider as the sample uses it.
 */
@SampleTest
class ProviderTests {

	@Autowired
	private SampleClient client;

	@Autowired
	private PaymentProvider provider;

	@Autowired
	private ApplicationContext context;

	@Autowired
	private JdbcTemplate jdbc;

	@AfterEach
	void repair() {
		switchTo("{}");
	}

	@Test
	void aChargeThatIsRetriedIsMadeOnce() {
		long before = charges();
		String key = newKey();
		Charge charge = this.provider.charge(ride("tok_visa"), key);
		assertThat(charge).isEqualTo(new Charge(charge.id(), 1250, "usd", "succeeded"));
		assertThat(this.provider.charge(ride("tok_visa"), key)).isEqualTo(charge);
		assertThat(charges()).isEqualTo(before + 1);
		assertThat(this.provider.charge(ride("tok_visa"), newKey()).id()).isNotEqualTo(charge.id());
		assertThat(charges()).isEqualTo(before + 2);
	}

	@Test
	void aDeclinedCardIsAPaymentProblemAndNoCharge() {
		long before = charges();
		assertThatExceptionOfType(ChargeDeclinedException.class)
			.isThrownBy(() -> this.provider.charge(ride("tok_declined"), newKey()))
			.satisfies((ex) -> assertThat(ex.getBody()).extracting(ProblemDetail::getStatus).isEqualTo(402));
		assertThat(charges()).isEqualTo(before);
	}

	@Test
	void aKeyThatIsReusedForAnotherChargeIsRefused() {
		String key = newKey();
		this.provider.charge(ride("tok_visa"), key);
		assertThatExceptionOfType(HttpClientErrorException.BadRequest.class)
			.isThrownBy(() -> this.provider.charge(ride("tok_amex"), key))
			.satisfies((ex) -> assertThat(ex.getResponseBodyAsString()).contains("idempotency_error"));
	}

	@Test
	void aProviderThatIsNotAvailableChargesNothingAndTheSameKeyChargesLater() {
		long before = charges();
		String key = newKey();
		switchTo("{\"mode\":\"unavailable\"}");
		assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
			.isThrownBy(() -> this.provider.charge(ride("tok_visa"), key));
		assertThat(charges()).isEqualTo(before);
		switchTo("{\"mode\":\"none\"}");
		this.provider.charge(ride("tok_visa"), key);
		assertThat(charges()).isEqualTo(before + 1);
	}

	@Test
	void anAnswerThatIsLostIsAChargeThatTheSameKeyFindsLater() {
		long before = charges();
		String key = newKey();
		switchTo("{\"mode\":\"fail-after-charge\"}");
		assertThatExceptionOfType(ResourceAccessException.class)
			.isThrownBy(() -> this.provider.charge(ride("tok_visa"), key));
		assertThat(charges()).isEqualTo(before + 1);
		switchTo("{\"mode\":\"none\"}");
		Charge charge = this.provider.charge(ride("tok_visa"), key);
		assertThat(charges()).isEqualTo(before + 1);
		assertThat(this.jdbc.queryForObject("select amount from provider.charge where id = ?", Long.class, charge.id()))
			.isEqualTo(1250);
	}

	@Test
	void whateverFailsAtRandomEachKeyIsChargedOnce() {
		long before = charges();
		List<String> keys = Stream.generate(SampleClient::newKey).limit(10).toList();
		switchTo("{\"failureRate\":1}");
		assertThat(keys).allSatisfy((key) -> assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> this.provider.charge(ride("tok_visa"), key))
			.isInstanceOfAny(ResourceAccessException.class, HttpServerErrorException.class));
		switchTo("{}");
		assertThat(keys).extracting((key) -> this.provider.charge(ride("tok_visa"), key).id()).doesNotHaveDuplicates();
		assertThat(charges()).isEqualTo(before + 10);
	}

	@Test
	void everybodyMayCountTheCharges() {
		StoredResponse anonymous = answer(this.client.anonymous(HttpMethod.GET, "/provider/charges").exchange());
		assertThat(anonymous.status()).isEqualTo(200);
		assertThat(answer(this.client.get("bob", "/provider/charges"))).isEqualTo(anonymous);
		assertThat(JsonPath.<Integer>read(anonymous.body(), "$.count"))
			.isEqualTo(this.jdbc.queryForObject("select count(*) from provider.charge", Integer.class));
	}

	@Test
	void onlyOpsMaySwitchFaults() {
		this.client.anonymous(HttpMethod.GET, "/provider/faults").exchange().expectStatus().isUnauthorized();
		this.client.anonymous(HttpMethod.PUT, "/provider/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"mode\":\"unavailable\"}")
			.exchange()
			.expectStatus()
			.isUnauthorized();
		this.client.request("alice", HttpMethod.PUT, "/provider/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"mode\":\"unavailable\"}")
			.exchange()
			.expectStatus()
			.isForbidden();
		assertThat(answer(this.client.get("alice", "/provider/faults")).body())
			.isEqualTo("{\"mode\":\"none\",\"failureRate\":0.0,\"latency\":\"PT0S\"}");
	}

	@Test
	void whatIsSwitchedOnIsShown() {
		String faults = "{\"mode\":\"fail-after-charge\",\"failureRate\":0.25,\"latency\":\"PT0.5S\"}";
		assertThat(switchTo(faults)).isEqualTo(faults);
		assertThat(answer(this.client.get("bob", "/provider/faults")).body()).isEqualTo(faults);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"mode\":\"other\"}", "{\"failureRate\":1.1}", "{\"failureRate\":-0.1}",
			"{\"latency\":\"-PT1S\"}", "{\"latency\":\"PT11M\"}", "{\"latency\":\"soon\"}" })
	void faultsThatDoNotExistAreRefused(String faults) {
		assertThat(answer(put(faults)).status()).isEqualTo(400);
		assertThat(answer(this.client.get("alice", "/provider/faults")).body()).contains("\"mode\":\"none\"");
	}

	@Test
	void eachSideHasTablesAndEndpointsOfItsOwn() {
		assertThat(this.jdbc.queryForList("""
				select table_schema || '.' || table_name from information_schema.tables
				where table_name in ('charge', 'payment', 'idempotency_record')""", String.class))
			.containsExactlyInAnyOrder("provider.charge", "provider.idempotency_record", "public.payment",
					"public.idempotency_record");
		this.client.get("alice", "/v1/charges/ch_1").expectStatus().isNotFound();
		assertThat(this.context.getBeanDefinitionNames())
			.extracting((name) -> String.valueOf(this.context.getType(name)))
			.noneMatch((type) -> type.contains("dev.idempotency.provider"));
	}

	@Test
	void theProviderKeepsItsAnswersInItsOwnSchema() {
		long ours = records("public");
		long theirs = records("provider");
		this.provider.charge(ride("tok_visa"), newKey());
		assertThat(records("provider")).isEqualTo(theirs + 1);
		assertThat(records("public")).isEqualTo(ours);
	}

	private long records(String schema) {
		return this.jdbc.queryForList("select 1 from " + schema + ".idempotency_record").size();
	}

	private long charges() {
		return JsonPath.<Integer>read(answer(this.client.get("alice", "/provider/charges")).body(), "$.count");
	}

	private String switchTo(String faults) {
		StoredResponse answer = answer(put(faults));
		assertThat(answer.status()).isEqualTo(200);
		return answer.body();
	}

	private RestTestClient.ResponseSpec put(String faults) {
		return this.client.request("ops", HttpMethod.PUT, "/provider/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body(faults)
			.exchange();
	}

	private static ChargeRequest ride(String source) {
		return new ChargeRequest(1250, "usd", source, "A ride", Map.of("ride", "r 1"));
	}

}
