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
package dev.idempotency.conformance.app;

import java.util.UUID;

import jakarta.persistence.EntityManager;

import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * A service as users write it: transactional, over JPA.
 */
public class Effects {

	private final EntityManager entityManager;

	public Effects(EntityManager entityManager) {
		this.entityManager = entityManager;
	}

	@Transactional
	public Effect record(String label) {
		Effect effect = new Effect(UUID.randomUUID(), label);
		this.entityManager.persist(effect);
		return effect;
	}

	/**
	 * As {@link #record}, with the row sent to the database at once.
	 */
	@Transactional
	public Effect recordAndFlush(String label) {
		Effect effect = record(label);
		this.entityManager.flush();
		return effect;
	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	public Effect recordInNewTransaction(String label) {
		return record(label);
	}

}
