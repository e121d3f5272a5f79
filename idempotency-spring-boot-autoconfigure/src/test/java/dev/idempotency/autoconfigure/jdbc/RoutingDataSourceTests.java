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

package dev.idempotency.autoconfigure.jdbc;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.store.Shards;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The warning for a data source that routes, where no bean lists the shards behind it.
 */
@ExtendWith(OutputCaptureExtension.class)
class RoutingDataSourceTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	@ParameterizedTest
	@MethodSource("routing")
	void routingWithoutShardsIsReportedOnce(DataSource dataSource, CapturedOutput output) {
		application(dataSource).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-1013"))).singleElement()
				.asString()
				.contains("WARN", "routes to 2 others", "Shards.ONE");
		});
	}

	static Stream<DataSource> routing() {
		return Stream.of(router(2), new LazyConnectionDataSourceProxy(router(2)),
				new DelegatingDataSource(new LazyConnectionDataSourceProxy(router(2))));
	}

	@Test
	void targetsThatAreDeclaredAsOneDatabaseAreNotReported(CapturedOutput output) {
		application(router(2)).withBean(Shards.class, () -> Shards.ONE).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("IDEM-1013");
		});
	}

	@Test
	void aSingleTargetIsNotReported(CapturedOutput output) {
		application(router(1)).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("IDEM-1013");
		});
	}

	private static ApplicationContextRunner application(DataSource dataSource) {
		return TestContexts.with(DATABASE).withBean(DataSource.class, () -> dataSource);
	}

	private static AbstractRoutingDataSource router(int targets) {
		Map<Object, Object> resolved = new HashMap<>();
		for (int i = 0; i < targets; i++) {
			resolved.put(i, new DriverManagerDataSource(DATABASE.jdbcUrl(), DATABASE.username(), DATABASE.password()));
		}
		AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return 0;
			}

		};
		router.setTargetDataSources(resolved);
		router.setDefaultTargetDataSource(resolved.get(0));
		router.afterPropertiesSet();
		return router;
	}

}
