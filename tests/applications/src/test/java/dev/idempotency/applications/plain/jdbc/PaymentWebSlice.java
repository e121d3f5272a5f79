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
package dev.idempotency.applications.plain.jdbc;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The context of a test of the controllers.
 */
@WebMvcTest(properties = { "spring.main.banner-mode=off", "logging.config=classpath:plain/logback.xml" })
public class PaymentWebSlice {

	/**
	 * In place of what the slice leaves out.
	 */
	@TestConfiguration(proxyBeanMethods = false)
	static class Beside {

		@Bean
		JdbcClient jdbc() {
			return JdbcClient.create(new DriverManagerDataSource("jdbc:h2:mem:slice"));
		}

	}

}
