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

import java.net.URI;

import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

/**
 * The provider declined the card. A final answer, 402 to the application's own caller: no
 * retry changes it.
 */
public class ChargeDeclinedException extends ErrorResponseException {

	/**
	 * Creates the exception.
	 * @param cause the provider's answer
	 */
	public ChargeDeclinedException(Throwable cause) {
		super(HttpStatus.PAYMENT_REQUIRED, cause);
		setType(URI.create("/problems/card-declined"));
		setTitle("Card declined");
		setDetail("The card was declined. Use another card, and a new key.");
	}

}
