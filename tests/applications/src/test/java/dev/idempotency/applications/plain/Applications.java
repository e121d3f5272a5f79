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
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.applications.plain.brokers.BrokersApplication;
import dev.idempotency.applications.plain.datajdbc.DataJdbcApplication;
import dev.idempotency.applications.plain.datarest.DataRestApplication;
import dev.idempotency.applications.plain.devtools.DevtoolsApplication;
import dev.idempotency.applications.plain.jdbc.JdbcApplication;
import dev.idempotency.applications.plain.jdbc.PaymentWebSlice;
import dev.idempotency.applications.plain.jooq.JooqApplication;
import dev.idempotency.applications.plain.jpa.JpaApplication;
import dev.idempotency.applications.plain.jpa.PaymentSlice;
import dev.idempotency.applications.plain.secured.SecuredApplication;
import dev.idempotency.applications.plain.several.SeveralApplication;
import dev.idempotency.applications.protection.datarest.AnnotatedDataRestApplication;
import dev.idempotency.applications.protection.jdbc.AnnotatedApplication;
import dev.idempotency.applications.protection.jooq.AnnotatedJooqApplication;
import dev.idempotency.testsupport.ExecutableJar;
import dev.idempotency.testsupport.JavaProcess;

/**
 * Applications by what is on their class path. Those with the same one share a process:
 * most of what a start costs is the classes, which are loaded once. With and without the
 * starter are two processes, at the same time. They run on a class path, whose first part
 * they have in common: its classes come from an archive. Those with Liquibase run as
 * executable jars, in which JPA, Flyway and Liquibase look for their files.
 */
enum Applications {

	WITH_JPA(Facts.class, List.of(
			Start.compared("validated", JpaApplication.class.getName(),
					Start.onPostgres("create table payment (id bigint generated always as identity, text varchar(255))",
							"spring.jpa.hibernate.ddl-auto=validate")),
			Start.compared("default schema", JpaApplication.class.getName(),
					Start.onPostgres("create schema shop", "spring.jpa.hibernate.ddl-auto=create-drop",
							"spring.jpa.properties.hibernate.default_schema=shop")),
			Start.compared("h2", JpaApplication.class, "spring.datasource.url=jdbc:h2:mem:plain"),
			Start.compared("hsqldb", JpaApplication.class, "spring.datasource.url=jdbc:hsqldb:mem:plain"),
			Start.compared("slice of JPA", PaymentSlice.class),
			Start.annotated("several with JPA", SeveralApplication.class.getName(),
					() -> List.of("first=jdbc:h2:mem:one", "second=jdbc:h2:mem:two"))),
			Jars.JPA, Jars.POSTGRESQL, Jars.OTHER_DATABASES),

	WITH_LIQUIBASE(Facts.class,
			List.of(Start.compared("change log", JpaApplication.class.getName(),
					Start.onPostgres("", "spring.liquibase.change-log=classpath:plain/changelog.sql"))),
			Jars.JPA, Jars.LIQUIBASE, Jars.POSTGRESQL),

	/**
	 * On H2, without a driver of PostgreSQL.
	 */
	WITH_DATA_REST(Facts.class, List.of(
			Start.compared("repositories", DataRestApplication.class, "spring.datasource.url=jdbc:h2:mem:plain"),
			Start.annotated("annotated h2", AnnotatedApplication.class.getName(), () -> List.of(
					"spring.datasource.url=jdbc:h2:mem:h2;INIT=create table if not exists payment (text varchar(255))",
					"idempotency.anonymous=share", Facts.POST.substring(2) + "/payments?text=rent")),
			Start.annotated("base path", AnnotatedDataRestApplication.class.getName(),
					() -> List.of("spring.datasource.url=jdbc:h2:mem:annotated"))),
			Jars.JPA, Jars.DATA_REST, Jars.OTHER_DATABASES),

	WITHOUT_JPA(Facts.class, List.of(Start.compared("slice of MVC", PaymentWebSlice.class),
			Start.compared("jdbc", JdbcApplication.class, "spring.datasource.url=jdbc:hsqldb:mem:plain"),
			Start.compared("down", JdbcApplication.class.getName(),
					() -> List.of("spring.datasource.url=jdbc:postgresql://127.0.0.1:" + freePort() + "/none",
							Facts.UNCONNECTED.substring(2))),
			Start.compared("several", SeveralApplication.class, "first=jdbc:h2:mem:first", "second=jdbc:h2:mem:second"),
			Start.annotated("unknown database", AnnotatedApplication.class.getName(),
					() -> List.of("spring.datasource.url=jdbc:hsqldb:mem:plain"))),
			Jars.POSTGRESQL, Jars.OTHER_DATABASES),

	WITH_DATA_JDBC(Facts.class,
			List.of(Start.compared("repository", DataJdbcApplication.class, "spring.datasource.url=jdbc:h2:mem:plain")),
			Jars.DATA_JDBC, Jars.OTHER_DATABASES),

	WITHOUT_DRIVER(Facts.class, List.of(Start.compared("no address", JpaApplication.class),
			Start.compared("address of PostgreSQL", JpaApplication.class,
					"spring.datasource.url=jdbc:postgresql://127.0.0.1/none"),
			Start.annotated("annotated without an address", AnnotatedApplication.class.getName(), () -> List.of())),
			Jars.JPA),

	WITH_SECURITY_AND_BROKERS(Facts.class, List.of(
			Start.compared("method security", SecuredApplication.class, "spring.datasource.url=jdbc:h2:mem:plain",
					"spring.security.user.password=secret", "management.health.rabbit.enabled=false"),
			Start.compared("brokers", BrokersApplication.class, "spring.datasource.url=jdbc:h2:mem:brokers",
					"spring.kafka.listener.auto-startup=false", "spring.rabbitmq.listener.simple.auto-startup=false",
					"management.health.rabbit.enabled=false")),
			Jars.SECURITY, Jars.BROKERS, Jars.OTHER_DATABASES),

	WITH_JOOQ(Facts.class,
			List.of(Start.compared("jooq", JooqApplication.class, "spring.datasource.url=jdbc:h2:mem:plain"),
					Start.annotated("annotated jooq", AnnotatedJooqApplication.class.getName(),
							Start.onPostgres("create table payment (text varchar(255))", "idempotency.anonymous=share",
									"spring.jooq.sql-dialect=postgres", Facts.POST.substring(2) + "/payments"))),
			Jars.JOOQ, Jars.POSTGRESQL, Jars.OTHER_DATABASES),

	WITH_KOTLIN(Facts.class,
			List.of(Start.compared("kotlin", "dev.idempotency.applications.plain.kotlin.KotlinApplication",
					() -> List.of("spring.datasource.url=jdbc:h2:mem:plain")),
					Start.annotated("annotated kotlin", Start.PROTECTION + "kotlin.AnnotatedKotlinApplication",
							() -> List.of("spring.datasource.url=jdbc:h2:mem:annotated", "idempotency.anonymous=share",
									Facts.POST.substring(2) + "/payments")),
					Start.annotated("annotated kotlin service", Start.PROTECTION + "kotlin.AnnotatedKotlinApplication",
							() -> List.of("spring.datasource.url=jdbc:h2:mem:service", "idempotency.anonymous=share",
									Facts.POST.substring(2) + "/bookings")),
					Start.annotated("suspending", Start.PROTECTION + "suspending.SuspendingKotlinApplication",
							() -> List.of("spring.datasource.url=jdbc:h2:mem:suspending")),
					Start.annotated("leased", Start.PROTECTION + "leased.LeasedKotlinApplication",
							() -> List.of("spring.datasource.url=jdbc:h2:mem:leased", "idempotency.anonymous=share",
									Facts.POST.substring(2) + "/payments")),
					Start.annotated("closed", Start.PROTECTION + "closed.ClosedKotlinApplication",
							() -> List.of("spring.datasource.url=jdbc:h2:mem:closed"))),
			Jars.KOTLIN, Jars.OTHER_DATABASES),

	WITH_DEVTOOLS(DevtoolsApplication.class,
			List.of(Start.compared(DevtoolsApplication.SECOND, DevtoolsApplication.class,
					"spring.datasource.url=jdbc:h2:mem:plain", "spring.devtools.livereload.enabled=false")),
			Jars.DEVTOOLS, Jars.OTHER_DATABASES),

	RESTARTED(DevtoolsApplication.class,
			List.of(Start.annotated(DevtoolsApplication.SECOND, DevtoolsApplication.class.getName(),
					Start.onPostgres("create table payment (text varchar(255))", "idempotency.anonymous=share",
							"spring.devtools.livereload.enabled=false", "spring.profiles.active=annotated",
							Facts.POST.substring(2) + "/payments"))),
			Jars.DEVTOOLS, Jars.POSTGRESQL);

	private final Class<?> mainClass;

	private final List<Start> starts;

	private final Set<Jars> jars;

	private final Map<Boolean, Map<String, Run>> runs = new ConcurrentHashMap<>();

	Applications(Class<?> mainClass, List<Start> starts, Jars... jars) {
		this.mainClass = mainClass;
		this.starts = starts;
		this.jars = Set.of(jars);
	}

	/**
	 * The start of an application with the starter.
	 */
	Run with(String name) {
		return find(true, name);
	}

	/**
	 * The start of an application without the starter.
	 */
	Run without(String name) {
		return find(false, name);
	}

	private synchronized Run find(boolean starter, String name) {
		if (this.runs.isEmpty()) {
			CompletableFuture<Map<String, Run>> without = new CompletableFuture<>();
			if (this.starts.stream().allMatch(Start::annotated)) {
				without.complete(Map.of());
			}
			else {
				without.completeAsync(() -> start(false), (task) -> new Thread(task, "without-the-starter").start());
			}
			this.runs.put(true, start(true));
			this.runs.put(false, without.join());
		}
		Run run = this.runs.getOrDefault(starter, Map.of()).get(name);
		if (run == null) {
			throw new IllegalArgumentException("No start '" + name + "' among " + this.runs);
		}
		return run;
	}

	private Map<String, Run> start(boolean starter) {
		List<String> line = new ArrayList<>();
		for (Start start : this.starts) {
			if (starter || !start.annotated()) {
				if (!line.isEmpty()) {
					line.add(Facts.NEXT);
				}
				line.addAll(start.commandLine());
			}
		}
		Set<Jars> present = EnumSet.noneOf(Jars.class);
		present.addAll(this.jars);
		if (starter) {
			present.add(Jars.STARTER);
		}
		List<File> classPath = Jars.classPath(present);
		if (this != WITH_LIQUIBASE) {
			return run(JavaProcess.startOn(Jars.COMMON, classPath, List.of(), this.mainClass, line));
		}
		try (ExecutableJar jar = ExecutableJar.of(classPath, Jars::isOfThisModule, this.mainClass)) {
			return run(JavaProcess.startJar(jar.path(), List.of(), line));
		}
	}

	private static Map<String, Run> run(JavaProcess started) {
		try (JavaProcess process = started) {
			process.awaitExit();
			return Run.divide(process.awaitOutput().lines().toList());
		}
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
