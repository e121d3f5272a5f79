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
package dev.idempotency.sample.payment;

import java.net.URI;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

/**
 * No decision about the card was possible at the moment. This is not a final answer:
 * nothing is stored, and a retry with the same key runs again.
 */
class CardUnavailableException extends ErrorResponseException {

	CardUnavailableException() {
		super(HttpStatus.SERVICE_UNAVAILABLE);
		setType(URI.create("/problems/card-unavailable"));
		setTitle("Card unavailable");
		setDetail("Try again with the same key.");
		getHeaders().set(HttpHeaders.RETRY_AFTER, "1");
	}

}
