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
package dev.idempotency.conformance.database;

import java.util.Map;

import javax.sql.DataSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.testsupport.TestDatabase;

/**
 * A data source that routes read-only transactions to another database.
 */
@Configuration(proxyBeanMethods = false)
class RoutedDatabases {

	/**
	 * Returns the property that names the database of read-only transactions.
	 */
	static String reader(TestDatabase database) {
		return "reader.url=" + database.jdbcUrl();
	}

	@Bean
	DataSource dataSource(@Value("${spring.datasource.url}") String writer, @Value("${reader.url}") String reader,
			@Value("${spring.datasource.username}") String username,
			@Value("${spring.datasource.password}") String password) {
		AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return TransactionSynchronizationManager.isCurrentTransactionReadOnly() ? "reader" : "writer";
			}

		};
		router.setTargetDataSources(Map.of("writer", new DriverManagerDataSource(writer, username, password), "reader",
				new DriverManagerDataSource(reader, username, password)));
		router.afterPropertiesSet();
		return new LazyConnectionDataSourceProxy(router);
	}

}
