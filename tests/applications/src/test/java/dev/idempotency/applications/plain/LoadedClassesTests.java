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
package dev.idempotency.applications.plain;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.idempotency.applications.protection.jdbc.AnnotatedApplication;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The classes that a start loads, by the JVM's own log: Flyway's where there is something
 * to migrate, and nowhere else; none of a feature that is off.
 */
class LoadedClassesTests {

	private static final String STORE = "dev.idempotency.store.jdbc.PostgresStore";

	/**
	 * Features without their modules, or without the dependency that they need.
	 */
	private static final List<String> OFF = List.of("job.dbscheduler.", "messaging.", "outbox.", "client.", "console.",
			"openapi.", "autoconfigure.cache.LocalResponses");

	/**
	 * The packages of what Flyway does.
	 */
	private static final String RUN = "org.flywaydb.core.internal.";

	@TempDir
	static Path directory;

	private static final List<File> CLASS_PATH = Jars.classPath(EnumSet.of(Jars.STARTER, Jars.JPA, Jars.POSTGRESQL));

	private static TestDatabase database;

	private static List<String> first;

	private static List<String> second;

	@BeforeAll
	static void startTwice() throws IOException {
		database = TestDatabase.create(DatabaseKind.POSTGRESQL);
		database.execute("create table payment (text varchar(255))");
		first = load();
		second = load();
	}

	@Test
	void flywayIsLoadedForAnEmptyDatabase() {
		assertThat(first).contains(STORE).anyMatch((name) -> name.startsWith(RUN));
	}

	@Test
	void flywayIsNotLoadedForTablesOfTheNewestVersion() {
		assertThat(second).contains(STORE)
			.filteredOn((name) -> name.startsWith("org.flywaydb."))
			.as("by the condition on its presence")
			.containsOnly("org.flywaydb.core.Flyway");
	}

	@Test
	void flywayIsLoadedForAScriptThatHasFailedHasChangedOrIsMissing() throws IOException {
		for (String change : List.of("update idempotency_schema_history set success = false where version = '1'",
				"update idempotency_schema_history set success = true, checksum = 1 where version = '1'",
				"delete from idempotency_schema_history where version = '1'")) {
			database.execute(change);
			assertThat(load()).as(change).anyMatch((name) -> name.startsWith(RUN));
		}
	}

	@Test
	void featuresThatAreOffAreNotLoaded() {
		assertThat(second).contains(STORE)
			.noneMatch((name) -> OFF.stream().anyMatch((feature) -> name.startsWith("dev.idempotency." + feature)));
	}

	private static List<String> load() throws IOException {
		Path log = Files.createTempFile(directory, "classes", ".log");
		List<String> line = new ArrayList<>(
				Start.annotated("loaded", AnnotatedApplication.class.getName(), List::of).commandLine());
		line.add("--spring.datasource.url=" + database.jdbcUrl());
		line.add("--spring.datasource.username=" + database.username());
		line.add("--spring.datasource.password=" + database.password());
		line.add("--idempotency.anonymous=share");
		try (JavaProcess process = JavaProcess.startOn(Jars.COMMON, CLASS_PATH,
				List.of("-Xlog:class+load=info:file=" + log + ":none"), Facts.class, line)) {
			process.awaitExit();
		}
		try (Stream<String> lines = Files.lines(log)) {
			return lines.map((loaded) -> loaded.split(" ")[0]).toList();
		}
	}

}
