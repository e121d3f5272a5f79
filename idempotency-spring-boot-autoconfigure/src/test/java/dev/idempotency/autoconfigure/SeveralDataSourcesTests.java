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
package dev.idempotency.autoconfigure;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.testsupport.TestDatabase;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables and the records follow the transaction manager that the property names.
 */
@Tag("O7")
class SeveralDataSourcesTests {

	private static final TestDatabase FIRST = TestDatabase.create();

	private static final TestDatabase SECOND = TestDatabase.create();

	private static final Identity IDENTITY = new Identity(new byte[32], new byte[0]);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(TestContexts.LIBRARY)
		.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class))
		.withUserConfiguration(Databases.class, TestContexts.InUse.class)
		.withPropertyValues("spring.application.name=test", "idempotency.reaper.enabled=false",
				"idempotency.completer.enabled=false");

	private static boolean hasTable(TestDatabase database) {
		return Boolean.TRUE.equals(new JdbcTemplate(dataSource(database))
			.queryForObject("select to_regclass('idempotency_record') is not null", Boolean.class));
	}

	private static DataSource dataSource(TestDatabase database) {
		return new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password());
	}

	@Test
	void theNamedTransactionManagersOwnDatabaseHasTheTablesAndTheRecords() {
		this.contextRunner
			.withPropertyValues("idempotency.transaction-manager=secondTransactions",
					"spring.flyway.url=" + FIRST.jdbcUrl(), "spring.flyway.user=" + FIRST.username(),
					"spring.flyway.password=" + FIRST.password())
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(hasTable(SECOND)).isTrue();
				assertThat(hasTable(FIRST)).isFalse();
				IdempotencyStore store = context.getBean(IdempotencyStore.class);
				new TransactionTemplate(context.getBean("secondTransactions", JdbcTransactionManager.class))
					.executeWithoutResult((status) -> {
						assertThat(store.acquire(IDENTITY)).isInstanceOf(ClaimResult.Acquired.class);
						assertThat(store.finishWithCommit(new FinishedRecord(IDENTITY, "test", new byte[32],
								new EncodedResponse(200, new byte[0]), ofHours(1))))
							.isTrue();
					});
				assertThat(store.probe(IDENTITY)).isInstanceOf(StoredRecord.class);
				assertThat(new JdbcTemplate(dataSource(SECOND))
					.queryForObject("select count(*) from idempotency_record", Long.class)).isEqualTo(1);
			});
	}

	@Configuration(proxyBeanMethods = false)
	static class Databases {

		@Bean
		@Primary
		DataSource first() {
			return dataSource(FIRST);
		}

		@Bean
		DataSource second() {
			return dataSource(SECOND);
		}

		@Bean
		@Primary
		JdbcTransactionManager firstTransactions(DataSource first) {
			return new JdbcTransactionManager(first);
		}

		@Bean
		JdbcTransactionManager secondTransactions(
				@org.springframework.beans.factory.annotation.Qualifier("second") DataSource second) {
			return new JdbcTransactionManager(second);
		}

	}

}
