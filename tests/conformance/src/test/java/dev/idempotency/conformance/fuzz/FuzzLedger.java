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

package dev.idempotency.conformance.fuzz;

import java.util.UUID;

import dev.idempotency.conformance.app.Effect;
import jakarta.persistence.EntityManager;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The service that writes rows, with {@code @Transactional} in all ways.
 */
class FuzzLedger {

	private final JdbcTemplate jdbc;

	private final EntityManager entityManager;

	FuzzLedger(JdbcTemplate jdbc, EntityManager entityManager) {
		this.jdbc = jdbc;
		this.entityManager = entityManager;
	}

	void plain(UUID id, String label, Runnable then) {
		insert(id, label);
		then.run();
	}

	@Transactional
	public void service(UUID id, String label, Runnable then) {
		insert(id, label);
		then.run();
	}

	@Transactional
	void packagePrivate(UUID id, String label, Runnable then) {
		insert(id, label);
		then.run();
	}

	@Transactional
	public void jpa(UUID id, String label, Runnable then) {
		this.entityManager.persist(new Effect(id, label));
		then.run();
	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	public void requiresNew(UUID id, String label, Runnable then) {
		insert(id, label);
		then.run();
	}

	/**
	 * Writes a row whose fault is found at the commit.
	 */
	@Transactional
	public void violating(UUID id, String label) {
		insert(id, label);
		this.jdbc.update("insert into fuzz_deferred (effect) values (?)", UUID.randomUUID());
	}

	private void insert(UUID id, String label) {
		this.jdbc.update("insert into effect (id, label) values (?, ?)", id, label);
	}

}
