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
package dev.idempotency.provider;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import com.stripe.StripeClient;
import com.stripe.exception.ApiConnectionException;
import com.stripe.exception.AuthenticationException;
import com.stripe.exception.CardException;
import com.stripe.exception.IdempotencyException;
import com.stripe.exception.InvalidRequestException;
import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.net.RequestOptions;
import com.stripe.param.ChargeCreateParams;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Stripe's own client takes the provider for Stripe.
 */
class StripeClientTests {

	private static PaymentProviderServer provider;

	private static StripeClient stripe;

	@BeforeAll
	static void start() {
		provider = TestProvider.start(TestDatabase.create(), Duration.ZERO);
		stripe = client(TestProvider.API_KEY);
	}

	@AfterAll
	static void stop() {
		provider.close();
	}

	@AfterEach
	void repair() {
		switchTo("{}");
	}

	@Test
	void aChargeThatIsRetriedIsMadeOnce() throws StripeException {
		String key = newKey();
		Charge charge = create(charge("tok_visa"), key);
		assertThat(charge.getId()).startsWith("ch_");
		assertThat(charge.getObject()).isEqualTo("charge");
		assertThat(charge.getAmount()).isEqualTo(2000);
		assertThat(charge.getAmountCaptured()).isEqualTo(2000);
		assertThat(charge.getCurrency()).isEqualTo("usd");
		assertThat(charge.getDescription()).isEqualTo("A ride");
		assertThat(charge.getMetadata()).containsExactly(Map.entry("ride", "r 1"));
		assertThat(charge.getPaid()).isTrue();
		assertThat(charge.getStatus()).isEqualTo("succeeded");
		assertThat(isReplay(charge)).isFalse();
		Charge again = create(charge("tok_visa"), key);
		assertThat(again.getId()).isEqualTo(charge.getId());
		assertThat(again.getLastResponse().body()).isEqualTo(charge.getLastResponse().body());
		assertThat(isReplay(again)).isTrue();
	}

	@Test
	void aChargeCanBeRead() throws StripeException {
		Charge charge = create(charge("tok_visa"), newKey());
		assertThat(stripe.v1().charges().retrieve(charge.getId()).toJson()).isEqualTo(charge.toJson());
	}

	@Test
	void aChargeThatDoesNotExistCannotBeRead() {
		assertThatExceptionOfType(InvalidRequestException.class)
			.isThrownBy(() -> stripe.v1().charges().retrieve("ch_none"))
			.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(404))
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo("resource_missing"));
	}

	@Test
	void chargesWithoutAKeyAreApart() throws StripeException {
		Charge one = stripe.v1().charges().create(charge("tok_visa"));
		Charge other = stripe.v1().charges().create(charge("tok_visa"));
		assertThat(other.getId()).isNotEqualTo(one.getId());
	}

	@Test
	void aDeclinedCardIsACardErrorAlsoOnARetry() {
		String key = newKey();
		for (boolean replay : new boolean[] { false, true }) {
			assertThatExceptionOfType(CardException.class).isThrownBy(() -> create(charge("tok_declined"), key))
				.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(402))
				.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo("card_declined"))
				.satisfies((ex) -> assertThat(ex.getDeclineCode()).isEqualTo("generic_decline"))
				.satisfies((ex) -> assertThat(
						ex.getStripeError().getLastResponse().headers().firstValue("Idempotent-Replayed").isPresent())
					.isEqualTo(replay));
		}
	}

	@Test
	void whatIsNotValidIsNotStored() throws StripeException {
		String key = newKey();
		assertThatExceptionOfType(InvalidRequestException.class)
			.isThrownBy(
					() -> create(ChargeCreateParams.builder().setCurrency("usd").setSource("tok_visa").build(), key))
			.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(400))
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo("parameter_missing"))
			.satisfies((ex) -> assertThat(ex.getParam()).isEqualTo("amount"));
		assertThat(create(charge("tok_visa"), key).getPaid()).isTrue();
	}

	@Test
	void anUnknownTokenIsNotValid() {
		assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(() -> create(charge("4242"), newKey()))
			.satisfies((ex) -> assertThat(ex.getParam()).isEqualTo("source"));
	}

	@Test
	void aKeyThatIsReusedForAnotherChargeIsAnIdempotencyError() throws StripeException {
		String key = newKey();
		create(charge("tok_visa"), key);
		assertThatExceptionOfType(IdempotencyException.class).isThrownBy(() -> create(charge("tok_amex"), key))
			.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(400));
	}

	@Test
	void anAnswerThatIsLostIsAChargeThatTheSameKeyFinds() throws StripeException {
		String key = newKey();
		long before = charges();
		switchTo("{\"mode\":\"fail-after-charge\"}");
		assertThatExceptionOfType(ApiConnectionException.class).isThrownBy(() -> create(charge("tok_visa"), key));
		switchTo("{}");
		assertThat(isReplay(create(charge("tok_visa"), key))).isTrue();
		assertThat(charges()).isEqualTo(before + 1);
	}

	@Test
	void nothingElseIsThere() {
		for (String path : new String[] { "/", "/index.html", "/payments", "/actuator", "/v1/customers" }) {
			assertThat(status(path)).as(path).isEqualTo(404);
		}
	}

	@Test
	void nobodyGetsInWithoutTheSecretKey() {
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> client("sk_test_other").v1().charges().create(charge("tok_visa")))
			.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(401));
	}

	private static int status(String path) {
		return dashboard().get()
			.uri(path)
			.exchangeForRequiredValue((request, response) -> response.getStatusCode().value());
	}

	private static RestClient dashboard() {
		return RestClient.builder()
			.baseUrl(provider.address())
			.defaultHeaders((headers) -> headers.setBearerAuth(TestProvider.API_KEY))
			.build();
	}

	private static long charges() {
		Map<?, ?> answer = dashboard().get().uri("/dashboard/charges").retrieve().body(Map.class);
		return ((Number) answer.get("count")).longValue();
	}

	private static void switchTo(String faults) {
		dashboard().put()
			.uri("/dashboard/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body(faults)
			.retrieve()
			.toBodilessEntity();
	}

	private static StripeClient client(String apiKey) {
		return StripeClient.builder().setApiKey(apiKey).setApiBase(provider.address().toString()).build();
	}

	private static Charge create(ChargeCreateParams params, String key) throws StripeException {
		return stripe.v1().charges().create(params, RequestOptions.builder().setIdempotencyKey(key).build());
	}

	private static ChargeCreateParams charge(String source) {
		return ChargeCreateParams.builder()
			.setAmount(2000L)
			.setCurrency("USD")
			.setSource(source)
			.setDescription("A ride")
			.putMetadata("ride", "r 1")
			.build();
	}

	private static boolean isReplay(Charge charge) {
		return charge.getLastResponse().headers().firstValue("Idempotent-Replayed").isPresent();
	}

	private static String newKey() {
		return UUID.randomUUID().toString();
	}

}
