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
package dev.idempotency.conformance.shard;

import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * A pool for each shard, and the data source that routes to them. It has no default: a
 * request that was not routed fails.
 */
@Configuration(proxyBeanMethods = false)
class ShardedDatabase {

	@Bean
	@ConfigurationProperties("shards.north")
	HikariDataSource north() {
		return new HikariDataSource();
	}

	@Bean
	@ConfigurationProperties("shards.south")
	HikariDataSource south() {
		return new HikariDataSource();
	}

	@Bean
	@Primary
	AbstractRoutingDataSource dataSource(AccountShards shards, HikariDataSource north, HikariDataSource south) {
		AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return shards.current();
			}

		};
		router.setTargetDataSources(Map.of(AccountShards.NORTH, north, AccountShards.SOUTH, south));
		return router;
	}

}
