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

package dev.idempotency.benchmarks.app;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.Assert;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.testsupport.TestDatabase;

/**
 * A running application on a separate database. Only measured code runs in it: no reaper.
 */
public final class MeasuredApplication implements AutoCloseable {

	public static final String NAME = "benchmark";

	/**
	 * Packages that are present for the part without a database, and in no application.
	 */
	private static final List<String> OF_TESTS = List.of(
			"dev.idempotency.test.IdempotencyDeliveryTestAutoConfiguration",
			"dev.idempotency.test.autoconfigure.IdempotencyRecordsTestAutoConfiguration",
			"dev.idempotency.test.autoconfigure.InMemoryTransactionTestAutoConfiguration");

	/**
	 * Spring Security, which only the application with HTTP Basic has.
	 */
	private static final List<String> OF_SECURITY = List.of(
			"org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration");

	private final ConfigurableApplicationContext context;

	private MeasuredApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	public static MeasuredApplication start(TestDatabase database, int poolSize, String... more) {
		List<String> arguments = arguments(database, poolSize);
		arguments.addAll(List.of(more));
		return new MeasuredApplication(run(arguments.toArray(String[]::new)));
	}

	/**
	 * Starts an application whose requests are authenticated.
	 */
	public static MeasuredApplication startWithHttpBasic(TestDatabase database, int poolSize) {
		return start(database, poolSize, "--" + HttpBasic.PROPERTY + "=true",
				"--spring.autoconfigure.exclude=" + String.join(",", OF_TESTS));
	}

	public static List<String> arguments(TestDatabase database, int poolSize) {
		return new ArrayList<>(List.of("--spring.datasource.url=" + database.jdbcUrl(),
				"--spring.datasource.username=" + database.username(),
				"--spring.datasource.password=" + database.password(),
				"--spring.datasource.hikari.maximum-pool-size=" + poolSize,
				"--spring.datasource.hikari.minimum-idle=" + poolSize));
	}

	public static ConfigurableApplicationContext run(String... arguments) {
		return new SpringApplicationBuilder(BenchmarkApplication.class).web(WebApplicationType.SERVLET)
			.properties("spring.application.name=" + NAME, "server.port=0", "server.address=127.0.0.1",
					"server.tomcat.max-keep-alive-requests=-1", "server.tomcat.keep-alive-timeout=1h",
					"spring.main.banner-mode=off", "logging.level.root=error", "spring.jpa.hibernate.ddl-auto=none",
					"spring.sql.init.mode=always", "idempotency.reaper.enabled=false",
					"spring.autoconfigure.exclude=" + String.join(",", OF_TESTS) + "," + String.join(",", OF_SECURITY))
			.run(arguments);
	}

	public int port() {
		var server = ((WebServerApplicationContext) this.context).getWebServer();
		Assert.state(server != null, "No web server");
		return server.getPort();
	}

	public JdbcTemplate jdbc() {
		return this.context.getBean(JdbcTemplate.class);
	}

	public IdempotencyStore store() {
		return this.context.getBean(IdempotencyStore.class);
	}

	public PaymentController controller() {
		return this.context.getBean(PaymentController.class);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
