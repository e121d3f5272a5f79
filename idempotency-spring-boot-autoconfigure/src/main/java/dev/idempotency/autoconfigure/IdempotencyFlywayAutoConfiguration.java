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

import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayDataSource;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * The table, migrated after the application's own migrations and with a history of its
 * own.
 */
@AutoConfiguration(after = { DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass({ Flyway.class, FlywayDataSource.class })
@ConditionalOnProperty(name = "idempotency.schema.management", havingValue = "flyway", matchIfMissing = true)
@ConditionalOnBean(DataSource.class)
@EnableConfigurationProperties(IdempotencyProperties.class)
@ImportRuntimeHints(IdempotencyFlywayAutoConfiguration.Hints.class)
public final class IdempotencyFlywayAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	IdempotencySchemaMigration idempotencySchemaMigration(@FlywayDataSource ObjectProvider<DataSource> flywayDataSource,
			ObjectProvider<DataSource> dataSource, IdempotencyProperties properties) {
		DataSource migrated = flywayDataSource.getIfAvailable();
		return new IdempotencySchemaMigration((migrated != null) ? migrated : dataSource.getObject(),
				properties.schema().partitions());
	}

	/**
	 * The scripts.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("db/idempotency/**");
		}

	}

}
