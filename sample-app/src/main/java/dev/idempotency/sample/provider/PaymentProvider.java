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
package dev.idempotency.sample.provider;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

import dev.idempotency.provider.Faults;
import org.jspecify.annotations.Nullable;

import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;

/**
 * Charges cards at the payment provider, over HTTP.
 */
public class PaymentProvider {

	private final Supplier<RestClient> client;

	private final RetryTemplate retries;

	PaymentProvider(Supplier<RestClient> client, int retries) {
		this.client = client;
		this.retries = new RetryTemplate(RetryPolicy.builder()
			.predicate(PaymentProvider::mayPass)
			.maxRetries(retries)
			.delay(Duration.ofMillis(100))
			.multiplier(2)
			.jitter(Duration.ofMillis(50))
			.maxDelay(Duration.ofSeconds(1))
			.build());
	}

	/**
	 * Charges a card, at most once for each key. A transient failure (no connection, no
	 * answer in time, a broken answer, 409, 429, 5xx) is retried a few times with the
	 * same key, see {@code sample.provider.retries}. Call it with no transaction open.
	 * @param request the charge to make
	 * @param idempotencyKey the key, the same for every attempt at this one charge
	 * @return the charge
	 * @throws ChargeDeclinedException if the card is declined, which is final
	 * @throws ResourceAccessException if there was no answer up to the last retry: the
	 * outcome is unknown, and a later call with the same key resolves it
	 * @throws HttpServerErrorException if the last answer was a 5xx, likewise
	 * @throws HttpClientErrorException if the last answer was a 409 or 429, likewise, and
	 * for any other 4xx, which no retry changes
	 */
	public Charge charge(ChargeRequest request, String idempotencyKey) {
		return this.retries.invoke(() -> send(request, idempotencyKey));
	}

	private Charge send(ChargeRequest request, String idempotencyKey) {
		try {
			return requireBody(this.client.get()
				.post()
				.uri("/v1/charges")
				.header("Idempotency-Key", idempotencyKey)
				.contentType(MediaType.APPLICATION_FORM_URLENCODED)
				.body(request.toForm())
				.retrieve()
				.body(Charge.class));
		}
		catch (HttpClientErrorException ex) {
			throw (ex.getStatusCode().value() == HttpStatus.PAYMENT_REQUIRED.value()) ? new ChargeDeclinedException(ex)
					: ex;
		}
		catch (RestClientResponseException | ResourceAccessException ex) {
			throw ex;
		}
		catch (RestClientException ex) {
			// It is incomplete, or was written by an intermediary. The outcome is
			// unknown.
			throw new ResourceAccessException("The answer could not be read: " + ex.getMessage(), new IOException(ex));
		}
	}

	private static <T> T requireBody(@Nullable T body) {
		if (body == null) {
			throw new RestClientException("There is no body");
		}
		return body;
	}

	/**
	 * 409: the first attempt is still running.
	 */
	private static boolean mayPass(Throwable failure) {
		return failure instanceof ResourceAccessException || failure instanceof HttpServerErrorException
				|| failure instanceof HttpClientErrorException.Conflict
				|| failure instanceof HttpClientErrorException.TooManyRequests;
	}

	/**
	 * Returns the number of charges that the provider has made.
	 * @return the number of charges, of all users
	 */
	ChargeCount countCharges() {
		return requireBody(this.client.get().get().uri("/dashboard/charges").retrieve().body(ChargeCount.class));
	}

	Faults faults() {
		return requireBody(this.client.get().get().uri("/dashboard/faults").retrieve().body(Faults.class));
	}

	Faults switchTo(Faults faults) {
		return requireBody(this.client.get()
			.put()
			.uri("/dashboard/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body(faults)
			.retrieve()
			.body(Faults.class));
	}

}
