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

import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Heartbeats beside pools of which the library knows no more than that they are data
 * sources.
 */
@Tag("postgresql")
@Tag("X22")
@ExtendWith(OutputCaptureExtension.class)
class HeartbeatPoolTests {

	private static final Gates GATES = new Gates();

	static final int POOL_SIZE = 3;

	static Stream<Arguments> pools() {
		return Stream.of(Arguments.of("tomcat", List.of(Handlers.class),
				List.of("spring.datasource.type=org.apache.tomcat.jdbc.pool.DataSource",
						"spring.datasource.tomcat.max-active=" + POOL_SIZE, "spring.datasource.tomcat.max-wait=500")),
				Arguments.of("dbcp2", List.of(Handlers.class),
						List.of("spring.datasource.type=org.apache.commons.dbcp2.BasicDataSource",
								"spring.datasource.dbcp2.max-total=" + POOL_SIZE,
								"spring.datasource.dbcp2.max-wait-millis=500")),
				Arguments.of("declared", List.of(Handlers.class, OwnDbcpPool.class), List.of()),
				Arguments.of("unpooled", List.of(Handlers.class, Unpooled.class), List.of()));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("pools")
	void aPoolThatIsUsedUpKeepsNoHeartbeatFromExtendingLeases(String key, List<Class<?>> sources,
			List<String> properties, CapturedOutput output) throws SQLException {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication application = start(database, sources, properties)) {
			DataSource pool = application.context().getBean(DataSource.class);
			CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/gated", key));
			GATES.awaitReached(key);
			// The first one shows that the connection reaches the lease.
			awaitExtensions(database, 2);
			List<Connection> taken = new ArrayList<>();
			try {
				while (taken.size() < POOL_SIZE) {
					taken.add(pool.getConnection());
				}
				awaitExtensions(database, 3);
			}
			finally {
				for (Connection connection : taken) {
					connection.close();
				}
			}
			GATES.open(key);
			assertOriginal(owner.join(), 200);
			assertThat(output).doesNotContain("IDEM-1405").doesNotContain("IDEM-1402");
		}
	}

	@Test
	void aConnectionThatSeesOtherTablesIsNotReliedOn(CapturedOutput output) {
		TestDatabase database = MigratedDatabase.create();
		observer(database).execute("create schema app");
		try (RunningApplication application = start(database, List.of(Handlers.class),
				List.of("spring.datasource.type=org.apache.tomcat.jdbc.pool.DataSource",
						"spring.datasource.tomcat.init-s-q-l=set search_path to app"))) {
			assertIsExtendedByThePool(application, database, "app.", output);
		}
	}

	@Test
	void aDataSourceWithoutAnAddressExtendsLeasesItself(CapturedOutput output) {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication application = start(database, List.of(Handlers.class, Routing.class), List.of())) {
			assertIsExtendedByThePool(application, database, "", output);
		}
	}

	private static void assertIsExtendedByThePool(RunningApplication application, TestDatabase database, String schema,
			CapturedOutput output) {
		String key = "pool" + schema;
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/gated", key));
		GATES.awaitReached(key);
		awaitExtensions(database, schema, 3);
		GATES.open(key);
		assertOriginal(owner.join(), 200);
		assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-1405"))).singleElement()
			.asString()
			.contains("WARN", "JdbcConnectionDetails");
	}

	private static RunningApplication start(TestDatabase database, List<Class<?>> sources, List<String> properties) {
		List<String> all = new ArrayList<>(properties);
		all.addAll(List.of("idempotency.lease.duration=6s", "idempotency.completer.enabled=false",
				"idempotency.reaper.enabled=false"));
		return RunningApplication.start(database, sources, all.toArray(String[]::new));
	}

	private static void awaitExtensions(TestDatabase database, int count) {
		awaitExtensions(database, "", count);
	}

	/**
	 * Extensions after this moment, before each of which the lease has still held.
	 */
	private static void awaitExtensions(TestDatabase database, String schema, int count) {
		JdbcTemplate observer = observer(database);
		String query = "select lease_until, lease_until > clock_timestamp() as held from " + schema
				+ "idempotency_lease where namespace <> ''";
		for (int i = 0; i < count; i++) {
			Object before = observer.queryForMap(query).get("lease_until");
			await().until(() -> {
				Map<String, Object> now = observer.queryForMap(query);
				assertThat(now.get("held")).as("the lease holds").isEqualTo(true);
				return !now.get("lease_until").equals(before);
			});
		}
	}

	private static JdbcTemplate observer(TestDatabase database) {
		return new JdbcTemplate(
				new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/gated")
		Map<String, Object> gated(@RequestBody Labelled body) {
			GATES.pass(body.label());
			return Map.of("id", this.effects.record(body.label()).getId());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Unpooled {

		@Bean
		DataSource dataSource(@Value("${spring.datasource.url}") String url,
				@Value("${spring.datasource.username}") String username,
				@Value("${spring.datasource.password}") String password) {
			return new DriverManagerDataSource(url, username, password);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Routing {

		@Bean
		DataSource dataSource(@Value("${spring.datasource.url}") String url,
				@Value("${spring.datasource.username}") String username,
				@Value("${spring.datasource.password}") String password) {
			PoolProperties properties = new PoolProperties();
			properties.setUrl(url);
			properties.setUsername(username);
			properties.setPassword(password);
			DataSource only = new org.apache.tomcat.jdbc.pool.DataSource(properties);
			AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

				@Override
				protected Object determineCurrentLookupKey() {
					return "only";
				}

			};
			routing.setTargetDataSources(Map.of("only", only));
			return routing;
		}

	}

}
