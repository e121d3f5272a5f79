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
package dev.idempotency.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.Session;
import org.hibernate.jdbc.ReturningWork;

/**
 * Work on a connection of its own, which commits.
 *
 * @param entityManagerFactory the factory of the business entities
 * @param transactions how the work becomes a transaction
 */
record OwnConnection(EntityManagerFactory entityManagerFactory, OwnTransactions transactions) {

	/**
	 * A new entity manager, not the thread's: that one may hold a broken connection, or a
	 * transaction in which nothing of this belongs.
	 */
	<T> T run(ReturningWork<T> work) {
		try (EntityManager own = this.entityManagerFactory.createEntityManager()) {
			return own.unwrap(Session.class).doReturningWork((connection) -> this.transactions.run(connection, work));
		}
	}

}
