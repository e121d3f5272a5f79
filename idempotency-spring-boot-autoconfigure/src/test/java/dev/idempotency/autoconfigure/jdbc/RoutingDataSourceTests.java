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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A data source that routes to several others, which are one database or several.
 */
@Tag("X29")
@ExtendWith(OutputCaptureExtension.class)
class RoutingDataSourceTests {

	private static final String GUIDE = "docs/operations/scaling.md";

	private static final TestDatabase NORTH = TestDatabase.create();

	private static final TestDatabase SOUTH = TestDatabase.create();

	@ParameterizedTest
	@MethodSource("routers")
	void severalDatabasesAreRefusedBeforeTheyAreTouched(DataSource dataSource) {
		assertIsRefused(dataSource, "2 databases", "north", "south");
		assertThat(Stream.of(NORTH, SOUTH).map(RoutingDataSourceTests::unpooled).map(JdbcTemplate::new))
			.allSatisfy((database) -> assertThat(
					database.queryForList("select 1 from pg_tables where tablename like " + "'idempotency%'"))
				.isEmpty());
	}

	static Stream<DataSource> routers() {
		Supplier<DataSource> router = () -> router(Map.of("north", unpooled(NORTH), "south", unpooled(SOUTH)));
		DataSource nested = router(Map.of("all", router.get()));
		return Stream.of(router.get(), new LazyConnectionDataSourceProxy(router.get()),
				new DelegatingDataSource(new LazyConnectionDataSourceProxy(router.get())), nested);
	}

	@Test
	void databasesOfOneNameOnAServerAndItsCopyAreRefused() {
		try (DedicatedServer north = TestDatabase.startDedicatedServer(Map.of());
				DedicatedServer south = TestDatabase.startDedicatedServer(Map.of())) {
			assertThat(systemIdentifier(north)).isEqualTo(systemIdentifier(south));
			assertIsRefused(router(Map.of("north", unpooled(north.database("postgres")), "south",
					unpooled(south.database("postgres")))), "2 databases", "north", "south");
		}
	}

	private static String systemIdentifier(DedicatedServer server) {
		return new JdbcTemplate(unpooled(server.database("postgres")))
			.queryForList("select system_identifier::text from pg_control_system()", String.class)
			.get(0);
	}

	@Test
	void schemasOfOneDatabaseAreRefusedUnlessTheTablesHaveTheirSchema() {
		TestDatabase database = TestDatabase.create();
		database.execute("create schema north; create schema south; create schema tables");
		DataSource router = router(Map.of("north", unpooled(database, "north"), "south", unpooled(database, "south")));
		assertIsRefused(router, "2 databases", "north", "south");
		application(router).withPropertyValues("idempotency.schema.name=tables")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aRouterThatDoesNotListItsTargetsIsRefused() {
		AbstractRoutingDataSource router = new OnDemand();
		router.setTargetDataSources(Map.of("north", unpooled(NORTH)));
		router.afterPropertiesSet();
		assertIsRefused(router, "OnDemand overrides determineTargetDataSource");
	}

	private static void assertIsRefused(DataSource dataSource, String... subject) {
		application(dataSource).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(InvalidIdempotentException.class, (refused) -> {
				assertThat(refused.getSubject()).contains(subject);
				assertThat(refused.getAction()).contains(GUIDE);
				String section = refused.getAction().split("\"")[1];
				assertThat(guide()).contains("\n## " + section + "\n");
			}));
	}

	private static String guide() {
		try {
			return Files.readString(Path.of("..").resolve(GUIDE));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void twoPoolsOfOneDatabaseAreOneDatabase(CapturedOutput output) {
		TestDatabase database = TestDatabase.create();
		assertStarts(router(Map.of("writer", unpooled(database), "reader", unpooled(database, "public"))));
		assertThat(output).doesNotContain("IDEM-1013");
	}

	@Test
	void aStandbyIsAReplica(CapturedOutput output) {
		try (DedicatedServer primary = TestDatabase.startDedicatedServer(Map.of());
				DedicatedServer standby = primary.startStandby()) {
			assertStarts(router(Map.of("writer", unpooled(primary.database("postgres")), "reader",
					unpooled(standby.database("postgres")))));
			assertThat(output).doesNotContain("IDEM-1013");
		}
	}

	@Test
	void aPoolThatOnlyReadsIsAReplica() {
		TestDatabase database = TestDatabase.create();
		try (HikariDataSource reports = new HikariDataSource()) {
			reports.setJdbcUrl(SOUTH.jdbcUrl());
			reports.setUsername(SOUTH.username());
			reports.setPassword(SOUTH.password());
			reports.setReadOnly(true);
			assertStarts(router(Map.of("writer", unpooled(database), "reports", reports)));
		}
	}

	@Test
	void aServerThatOnlyReadsIsAReplica() {
		TestDatabase database = TestDatabase.create();
		TestDatabase reports = TestDatabase.create();
		reports.execute("do $$ begin execute 'alter database ' || current_database() "
				+ "|| ' set default_transaction_read_only = on'; end $$");
		assertStarts(router(Map.of("writer", unpooled(database), "reports", unpooled(reports))));
	}

	@Test
	void aReplicaThatIsDownIsReportedAndPreventsNoStart(CapturedOutput output) {
		TestDatabase database = TestDatabase.create();
		try (DedicatedServer down = TestDatabase.startDedicatedServer(Map.of())) {
			down.stop();
			assertStarts(router(Map.of("writer", unpooled(database), "reader", unpooled(down.database("postgres")))));
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-1013"))).singleElement()
			.asString()
			.contains("WARN", "The target reader");
	}

	private static void assertStarts(DataSource dataSource) {
		application(dataSource).run((context) -> assertThat(context).hasNotFailed());
	}

	private static ApplicationContextRunner application(DataSource dataSource) {
		return TestContexts.with(NORTH).withBean(DataSource.class, () -> dataSource);
	}

	private static DataSource unpooled(TestDatabase database) {
		return new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password());
	}

	private static DataSource unpooled(TestDatabase database, String schema) {
		return new DriverManagerDataSource(database.jdbcUrl() + "?currentSchema=" + schema, database.username(),
				database.password());
	}

	/**
	 * Returns a router that selects the writer, if one of its targets has that name.
	 */
	private static AbstractRoutingDataSource router(Map<String, DataSource> targets) {
		String first = targets.containsKey("writer") ? "writer" : targets.keySet().iterator().next();
		AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return first;
			}

		};
		router.setTargetDataSources(new HashMap<>(targets));
		router.afterPropertiesSet();
		return router;
	}

	private static final class OnDemand extends AbstractRoutingDataSource {

		@Override
		protected Object determineCurrentLookupKey() {
			return "north";
		}

		@Override
		protected DataSource determineTargetDataSource() {
			return unpooled(NORTH);
		}

	}

}
