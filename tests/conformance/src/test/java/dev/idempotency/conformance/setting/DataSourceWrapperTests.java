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
package dev.idempotency.conformance.setting;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

import dev.idempotency.conformance.app.RunningApplication;

/**
 * Wrappers between the application and its pool under which all promises hold.
 */
@Tag("postgresql")
@Tag("jpa")
class DataSourceWrapperTests {

	private static final Map<String, UnaryOperator<DataSource>> WRAPPERS = Map.of("unwrapping",
			WrappedDataSource.proxies(true), "hiding", WrappedDataSource.proxies(false), "lazy",
			LazyConnectionDataSourceProxy::new, "aware", TransactionAwareDataSourceProxy::new);

	@ParameterizedTest
	@ValueSource(strings = { "unwrapping", "hiding", "lazy", "aware" })
	void thePromisesHold(String wrapper) {
		try (RunningApplication application = RunningApplication.start(List.of(ConfiguredPayments.class, Wrapper.class),
				"wrapper=" + wrapper, "idempotency.job.polling-interval=100ms")) {
			Promises.assertKept(application);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Wrapper {

		@Bean
		static BeanPostProcessor wrapper(Environment environment) {
			return new WrappedDataSource(WRAPPERS.get(environment.getRequiredProperty("wrapper")));
		}

	}

}
