package com.example;

import java.time.Duration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * The client of a payment provider that honours idempotency keys, as Stripe and Adyen do.
 */
@Component
class PaymentProvider {

	private final RestClient client;

	PaymentProvider(@Value("${payment-provider.url}") String url,
			@Value("${payment-provider.timeout}") Duration timeout) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
		requests.setReadTimeout(timeout);
		this.client = RestClient.builder().baseUrl(url).requestFactory(requests).build();
	}

	/**
	 * Charges an amount.
	 * @param amountCents the amount
	 * @param idempotencyKey the key of this charge, the same on each attempt
	 * @return the id of the charge
	 */
	String charge(int amountCents, String idempotencyKey) {
		return this.client.post()
			.uri("/charges")
			.header("Idempotency-Key", idempotencyKey)
			.body(new ChargeRequest(amountCents))
			.retrieve()
			.requiredBody(Charge.class)
			.id();
	}

	record ChargeRequest(int amountCents) {

	}

	record Charge(String id) {

	}

}
