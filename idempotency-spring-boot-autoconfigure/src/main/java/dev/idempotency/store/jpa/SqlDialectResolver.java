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

import jakarta.persistence.EntityManagerFactory;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.engine.spi.SessionFactoryImplementor;

/**
 * Finds the statements for the database that Hibernate has found, so that no connection
 * is needed.
 */
final class SqlDialectResolver {

	private SqlDialectResolver() {
	}

	static SqlDialect resolve(EntityManagerFactory entityManagerFactory) {
		Dialect dialect = entityManagerFactory.unwrap(SessionFactoryImplementor.class).getJdbcServices().getDialect();
		if (!(dialect instanceof PostgreSQLDialect)) {
			throw UnsupportedDatabase.named(dialect.getClass().getSimpleName());
		}
		return PostgresStatements.DIALECT;
	}

}
