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
package dev.idempotency.sample.database;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Starts a database where {@code SPRING_DATASOURCE_URL} names none. As connection details
 * it exists before the DataSource, and is stopped after it.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(EmbeddedDatabaseConfiguration.NoDataSourceUrl.class)
class EmbeddedDatabaseConfiguration {

	@Bean
	EmbeddedDatabase embeddedDatabase() {
		return new EmbeddedDatabase();
	}

	/**
	 * Matches if no database URL is configured.
	 */
	static final class NoDataSourceUrl extends NoneNestedConditions {

		NoDataSourceUrl() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty("spring.datasource.url")
		static class DataSourceUrl {

		}

	}

}
