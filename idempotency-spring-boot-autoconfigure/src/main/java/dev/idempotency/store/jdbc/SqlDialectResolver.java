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
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.MariaDBDialect;
import org.hibernate.dialect.MySQLDialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.engine.spi.SessionFactoryImplementor;

import dev.idempotency.database.SupportedDatabase;

/**
 * Finds the statements for the database that Hibernate has found, so that no connection
 * is needed.
 */
public final class SqlDialectResolver {

	private SqlDialectResolver() {
	}

	/**
	 * Tell which database it is.
	 * @param entityManagerFactory the factory of the business entities
	 * @return the database
	 */
	public static SupportedDatabase database(EntityManagerFactory entityManagerFactory) {
		return resolve(entityManagerFactory).database();
	}

	static SqlDialect resolve(EntityManagerFactory entityManagerFactory) {
		Dialect dialect = entityManagerFactory.unwrap(SessionFactoryImplementor.class).getJdbcServices().getDialect();
		// MariaDB's is one of MySQL's.
		if (dialect instanceof MariaDBDialect) {
			return MariaDbDialect.MARIADB;
		}
		if (dialect instanceof MySQLDialect) {
			return MariaDbDialect.MYSQL;
		}
		if (dialect instanceof H2Dialect) {
			return H2DatabaseDialect.INSTANCE;
		}
		if (dialect instanceof PostgreSQLDialect) {
			return PostgresStatements.DIALECT;
		}
		throw SupportedDatabase.unsupported(dialect.getClass().getSimpleName());
	}

}
