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
 * Auto-configuration of the access of tests to records, and of the clock that ends these.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean({ OperatorStore.class, IdentityFactory.class })
final class IdempotencyRecordsTestAutoConfiguration {

	/**
	 * A test that injects them uses the library; others may not use it.
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

}
