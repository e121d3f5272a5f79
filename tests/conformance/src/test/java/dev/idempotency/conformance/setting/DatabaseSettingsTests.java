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

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

/**
 * Settings of driver, pool, server and JPA under which all promises hold. Those that do
 * not disturb each other share an application.
 */
@Tag("postgresql")
class DatabaseSettingsTests {

	private static final Map<String, String> PREFIXES = Map.of("driver",
			"spring.datasource.hikari.data-source-properties", "pool", "spring.datasource.hikari", "jpa",
			"spring.jpa.properties");

	/**
	 * Settings, separated by commas; a tilde is a space.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "driver.autosave=always,driver.cleanupSavepoints=true",
			"driver.autosave=conservative,driver.prepareThreshold=1,driver.binaryTransfer=false,driver.stringtype=unspecified",
			"driver.preferQueryMode=simple,driver.autosave=always,server.bytea_output=escape",
			"driver.preferQueryMode=extendedForPrepared,driver.readOnlyMode=always,driver.defaultRowFetchSize=1,driver.reWriteBatchedInserts=true",
			"driver.preferQueryMode=extendedCacheEverything,driver.prepareThreshold=0,driver.adaptiveFetch=true,driver.defaultRowFetchSize=1",
			"pool.auto-commit=false,jpa.hibernate.connection.provider_disables_autocommit=true,pool.isolate-internal-queries=true",
			"pool.connection-init-sql=set~statement_timeout~=~5000;set~lock_timeout~=~1000;set~transaction_timeout~=~20000,pool.leak-detection-threshold=2000",
			"server.timezone=Asia/Kolkata,server.datestyle=DMY,server.intervalstyle=sql_standard,server.array_nulls=off,server.standard_conforming_strings=off,server.transform_null_equals=on,server.extra_float_digits=0",
			"server.default_transaction_deferrable=on,server.plan_cache_mode=force_generic_plan,server.enable_indexscan=off,server.session_replication_role=replica",
			"jpa.hibernate.jdbc.batch_size=20,jpa.hibernate.order_inserts=true,jpa.hibernate.jdbc.time_zone=America/New_York,jpa.org.hibernate.flushMode=COMMIT",
			"jpa.hibernate.connection.handling_mode=IMMEDIATE_ACQUISITION_AND_HOLD,spring.transaction.rollback-on-commit-failure=true,spring.transaction.default-timeout=10,spring.threads.virtual.enabled=true",
			"spring.main.lazy-initialization=true,jpa.hibernate.use_sql_comments=true" })
	void thePromisesHold(String settings) {
		List<String> all = Arrays.asList(settings.replace('~', ' ').split(","));
		TestDatabase database = MigratedDatabase.create();
		settings(all, "server")
			.forEach((setting) -> database.execute("do $$ begin execute format('alter database %I set "
					+ setting.replace("=", "=''") + "''', current_database()); end $$"));
		assertPromisesHold(database, all.stream().filter((setting) -> !setting.startsWith("server.")).map((setting) -> {
			String prefix = PREFIXES.get(setting.substring(0, setting.indexOf('.')));
			return (prefix != null) ? prefix + setting.substring(setting.indexOf('.')) : setting;
		}));
	}

	private static Stream<String> settings(List<String> all, String prefix) {
		return all.stream()
			.filter((setting) -> setting.startsWith(prefix + "."))
			.map((setting) -> setting.substring(prefix.length() + 1));
	}

	/**
	 * With an open session in view, which is the default: it keeps no connection while
	 * its request needs another one.
	 */
	@Test
	@Tag("C5")
	void oneConnectionIsEnough() {
		assertPromisesHold(MigratedDatabase.create(), Stream.of("spring.datasource.hikari.maximum-pool-size=1",
				"spring.datasource.hikari.connection-timeout=2000", "spring.jpa.open-in-view=true"));
	}

	/**
	 * The library makes its tables in the schema that the connections see first.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "data-source-properties.currentSchema=other", "schema=other",
			"connection-init-sql=set search_path to other, public",
			"data-source-properties.options=-c search_path=other" })
	void theTablesAreInTheSchemaOfTheConnections(String setting) {
		TestDatabase database = TestDatabase.create();
		database.execute("create schema other");
		assertPromisesHold(database, Stream.of("spring.datasource.hikari." + setting));
	}

	/**
	 * Bodies are stored as bytes, and a server that knows no encoding takes any text.
	 */
	@ParameterizedTest
	@CsvSource({ "SQL_ASCII,libc", "LATIN1,libc", "UTF8,icu icu_locale 'und-u-ks-level2'" })
	void textIsStoredInEachEncodingAndCollation(String encoding, String provider) {
		TestDatabase server = TestDatabase.create();
		String address = server.jdbcUrl();
		String name = address.substring(address.lastIndexOf('/') + 1) + "_" + encoding.toLowerCase(Locale.ROOT);
		server.execute("create database " + name + " template template0 locale 'C' encoding '" + encoding
				+ "' locale_provider " + provider);
		assertPromisesHold(new TestDatabase(address.substring(0, address.lastIndexOf('/') + 1) + name,
				server.username(), server.password()), Stream.empty());
	}

	/**
	 * The rights that the runtime user needs, where someone else migrates the tables.
	 */
	@Test
	@Tag("jpa")
	void aUserWithTheRightsToReadAndWriteIsEnough() {
		TestDatabase database = MigratedDatabase.create();
		String user = "runtime_" + database.jdbcUrl().substring(database.jdbcUrl().lastIndexOf('/') + 1);
		database
			.execute("create role " + user + " login password 'runtime'; revoke create on schema public from public; "
					+ "grant select, insert, update, delete on all tables in schema public to " + user
					+ "; grant usage on all sequences in schema public to " + user);
		assertPromisesHold(new TestDatabase(database.jdbcUrl(), user, "runtime"),
				Stream.of("idempotency.schema.management=validate", "spring.jpa.hibernate.ddl-auto=none"));
	}

	private static void assertPromisesHold(TestDatabase database, Stream<String> settings) {
		String[] all = Stream.concat(settings, Stream.of("idempotency.job.polling-interval=100ms"))
			.toArray(String[]::new);
		try (RunningApplication application = RunningApplication.start(database, List.of(ConfiguredPayments.class),
				all)) {
			Promises.assertKept(application);
		}
	}

}
