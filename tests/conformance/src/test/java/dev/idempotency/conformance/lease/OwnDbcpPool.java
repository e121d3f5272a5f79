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
package dev.idempotency.conformance.lease;

import java.time.Duration;

import javax.sql.DataSource;

import org.apache.commons.dbcp2.BasicDataSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A pool that keeps its password to itself, beside the address as the log line wants it.
 */
@Configuration(proxyBeanMethods = false)
class OwnDbcpPool {

	@Bean
	DataSource dataSource(JdbcConnectionDetails details) {
		BasicDataSource pool = new BasicDataSource();
		pool.setUrl(details.getJdbcUrl());
		pool.setUsername(details.getUsername());
		pool.setPassword(details.getPassword());
		pool.setMaxTotal(HeartbeatPoolTests.POOL_SIZE);
		pool.setMaxWait(Duration.ofMillis(500));
		return pool;
	}

	@Bean
	JdbcConnectionDetails database(@Value("${spring.datasource.url}") String url,
			@Value("${spring.datasource.username}") String username,
			@Value("${spring.datasource.password}") String password) {
		return new JdbcConnectionDetails() {

			@Override
			public String getUsername() {
				return username;
			}

			@Override
			public String getPassword() {
				return password;
			}

			@Override
			public String getJdbcUrl() {
				return url;
			}

		};
	}

}
