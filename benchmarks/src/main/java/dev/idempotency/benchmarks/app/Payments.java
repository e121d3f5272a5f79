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

package dev.idempotency.benchmarks.app;

import jakarta.persistence.EntityManager;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The service as users write it: transactional, over JPA.
 */
@Service
public class Payments {

	private final EntityManager entityManager;

	Payments(EntityManager entityManager) {
		this.entityManager = entityManager;
	}

	@Transactional
	public Payment pay(long amountCents, String currency, String cardToken) {
		Payment payment = new Payment(amountCents, currency, cardToken);
		this.entityManager.persist(payment);
		return payment;
	}

	/**
	 * Sends what has not been sent.
	 */
	void flush() {
		this.entityManager.flush();
	}

	/**
	 * Inserts the same number of rows, each in a separate round trip.
	 */
	@Transactional
	public Payment payInParts(int parts, long amountCents, String currency, String cardToken) {
		Payment payment = pay(amountCents, currency, cardToken);
		for (int i = 1; i < parts; i++) {
			this.entityManager.flush();
			payment = pay(amountCents, currency, cardToken);
		}
		return payment;
	}

}
