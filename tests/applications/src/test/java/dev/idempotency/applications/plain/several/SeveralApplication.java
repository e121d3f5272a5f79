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
package dev.idempotency.applications.plain.several;

import javax.sql.DataSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * An application with two data sources and two transaction managers.
 */
@SpringBootApplication
public class SeveralApplication {

	@Bean
	DataSource first(@Value("${first}") String url) {
		return new DriverManagerDataSource(url, "sa", "");
	}

	@Bean
	DataSource second(@Value("${second}") String url) {
		return new DriverManagerDataSource(url, "sa", "");
	}

	@Bean
	JdbcTransactionManager firstTransactions(@Qualifier("first") DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

	@Bean
	JdbcTransactionManager secondTransactions(@Qualifier("second") DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

}
