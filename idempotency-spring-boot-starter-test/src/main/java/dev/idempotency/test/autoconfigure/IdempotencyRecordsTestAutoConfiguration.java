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
package dev.idempotency.test.autoconfigure;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;

import dev.idempotency.account.AccountResolver;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.test.IdempotencyClock;
import dev.idempotency.test.assertj.IdempotencyRecords;

/**
 * Auto-configuration of the access of tests to records, and of the clock by which these
 * expire.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean({ OperatorStore.class, IdentityFactory.class })
final class IdempotencyRecordsTestAutoConfiguration {

	/**
	 * Lazy, because only a test that injects the records uses the library.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	IdempotencyRecords idempotencyRecords(OperatorStore store, IdentityFactory identities, AccountResolver accounts) {
		return IdempotencyRecords.in(store, identities, accounts);
	}

	/**
	 * Configuration with the tables of a database.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JdbcOperations.class)
	@ConditionalOnSingleCandidate(DataSource.class)
	static class Tables {

		@Bean
		@ConditionalOnMissingBean
		IdempotencyClock idempotencyClock(DataSource dataSource) {
			return new AgingTables(new JdbcTemplate(dataSource));
		}

	}

	/**
	 * Ages the contents of a database's tables. A database's clock cannot be set for a
	 * test, but it is only compared with these times.
	 * <p>
	 * It works row by row and with JDBC's own types, on every database: a test has few
	 * rows.
	 */
	private static final class AgingTables implements IdempotencyClock {

		private static final List<String> RECORD_TIMES = List.of("finished_at", "expires_at");

		private static final List<String> LEASE_TIMES = List.of("created_at", "lease_until", "retry_at", "stuck_at");

		private final JdbcOperations jdbc;

		AgingTables(JdbcOperations jdbc) {
			this.jdbc = jdbc;
		}

		@Override
		public void pass(Duration time) {
			SettableClock.requireNotNegative(time);
			age("idempotency_record", "", RECORD_TIMES, time);
			age("idempotency_lease", " where namespace <> ''", LEASE_TIMES, time);
		}

		private void age(String table, String rowsOfApplications, List<String> columns, Duration time) {
			String select = "select id, " + String.join(", ", columns) + " from " + table + rowsOfApplications;
			String update = "update " + table + " set " + String.join(" = ?, ", columns) + " = ? where id = ?";
			List<Object[]> aged = this.jdbc.query(select, (row, number) -> aged(row, columns.size(), time));
			this.jdbc.batchUpdate(update, aged);
		}

		/**
		 * Returns the parameters of the update.
		 */
		private static Object[] aged(ResultSet row, int columns, Duration time) throws SQLException {
			Object[] parameters = new Object[columns + 1];
			for (int i = 0; i < columns; i++) {
				Timestamp before = row.getTimestamp(i + 2);
				parameters[i] = (before != null) ? Timestamp.from(before.toInstant().minus(time)) : null;
			}
			parameters[columns] = row.getBytes(1);
			return parameters;
		}

	}

}
