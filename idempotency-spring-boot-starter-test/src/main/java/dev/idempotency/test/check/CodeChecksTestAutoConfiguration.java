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
package dev.idempotency.test.check;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceUtils;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.jdbc.BusinessDatabase;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.RequestTransactions;

/**
 * Auto-configuration of the checks of the application's code, which the defaults of tests
 * switch on.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class })
@ConditionalOnBean(IdempotencyEngine.class)
final class CodeChecksTestAutoConfiguration {

	@Bean
	@ConditionalOnBooleanProperty("idempotency.test.check-self-invocation")
	SelfInvocationCheck idempotencySelfInvocationCheck(ConfigurableListableBeanFactory beanFactory) {
		return new SelfInvocationCheck(beanFactory);
	}

	/**
	 * The check of writes, with the business rows in a database.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("idempotency.test.check-unfenced-writes")
	@ConditionalOnClass(DataSourceUtils.class)
	@ConditionalOnBean(BusinessDatabase.class)
	static class Writes {

		@Bean
		static UnfencedWriteCheck idempotencyUnfencedWriteCheck(ObjectProvider<RequestTransactions> transactions,
				ObjectProvider<BusinessDatabase> database) {
			return new UnfencedWriteCheck(transactions, database);
		}

	}

}
