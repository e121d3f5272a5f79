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
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.applications.plain.annotated.AnnotatedApplication;
import dev.idempotency.applications.plain.jdbc.JdbcApplication;
import dev.idempotency.applications.plain.jpa.JpaApplication;
import dev.idempotency.applications.plain.secured.SecuredApplication;
import dev.idempotency.applications.plain.several.SeveralApplication;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that have annotated nothing, each in a process of its own, with the
 * starter on its class path and without it.
 */
@Tag("X1")
class NothingAnnotatedTests {

	/**
	 * Dependencies of the starter that the applications would not have.
	 */
	private static final List<String> STARTER = List.of("idempotency-spring-boot-", "flyway", "db-scheduler");

	private static final List<String> LIQUIBASE = List.of("liquibase");

	private static final List<String> JPA = List.of("data-jpa", "hibernate", "spring-orm", "jakarta.persistence");

	private static final List<String> SECURITY = List.of("security");

	/**
	 * Beans that Spring MVC or the aspect asks for at start, as part of themselves: the
	 * interceptor, the adapter, the filter and what they are made of. None of them knows
	 * the database.
	 */
	private static final int MOST_BEANS = 40;

	@Test
	void aSchemaThatIsFullAndValidatedStaysAsItIs() {
		TestDatabase database = TestDatabase.create(DatabaseKind.POSTGRESQL);
		database.execute("create table payment (id bigint generated always as identity, text varchar(255))");
		assertThat(compare(JpaApplication.class, List.of("spring.jpa.hibernate.ddl-auto=validate"), database, LIQUIBASE,
				SECURITY))
			.contains("table payment");
	}

	@Test
	void liquibaseFillsAnEmptyDatabase() {
		TestDatabase with = TestDatabase.create(DatabaseKind.POSTGRESQL);
		TestDatabase without = TestDatabase.create(DatabaseKind.POSTGRESQL);
		List<String> facts = requireEqual(run(JpaApplication.class, changeLog(without), without(STARTER, SECURITY)),
				run(JpaApplication.class, changeLog(with), without(SECURITY)));
		assertThat(facts).contains("table payment", "table databasechangelog");
	}

	private static List<String> changeLog(TestDatabase database) {
		List<String> arguments = new ArrayList<>(on(database));
		arguments.add("spring.liquibase.change-log=classpath:plain/changelog.sql");
		return arguments;
	}

	@Test
	void theDefaultsOfAnEmbeddedDatabaseStay() {
		assertThat(
				compare(JpaApplication.class, List.of("spring.datasource.url=jdbc:h2:mem:plain"), LIQUIBASE, SECURITY))
			.contains("table PAYMENT");
	}

	@Test
	void aDatabaseThatTheLibraryDoesNotKnowIsNoneOfItsBusiness() {
		assertThat(compare(JpaApplication.class, List.of("spring.datasource.url=jdbc:hsqldb:mem:plain"), LIQUIBASE,
				SECURITY))
			.contains("table PAYMENT");
	}

	@Test
	void anApplicationWithoutJpaStaysAsItIs() {
		compare(JdbcApplication.class, List.of("spring.datasource.url=jdbc:hsqldb:mem:plain"), LIQUIBASE, SECURITY,
				JPA);
	}

	@Test
	void aDatabaseThatIsDownIsNotLookedAt() throws IOException {
		int port;
		try (ServerSocket socket = new ServerSocket(0)) {
			port = socket.getLocalPort();
		}
		compare(JdbcApplication.class,
				List.of("spring.datasource.url=jdbc:postgresql://127.0.0.1:" + port + "/none", "facts.connected=false"),
				LIQUIBASE, SECURITY, JPA);
	}

	@Test
	void severalDataSourcesAndTransactionManagersNeedNoPrimary() {
		compare(SeveralApplication.class, List.of("first=jdbc:h2:mem:first", "second=jdbc:h2:mem:second"), LIQUIBASE,
				SECURITY, JPA);
	}

	@Test
	void methodSecurityStaysAsItIs() {
		compare(SecuredApplication.class,
				List.of("spring.datasource.url=jdbc:h2:mem:plain", "spring.security.user.password=secret"), LIQUIBASE,
				JPA);
	}

	@Test
	void anAnnotatedOperationOnADatabaseThatIsNotKnownIsRefusedWithWhatToDo() {
		Run run = start(AnnotatedApplication.class, List.of("spring.datasource.url=jdbc:hsqldb:mem:plain"),
				without(LIQUIBASE, SECURITY, JPA));
		assertThat(run.exitCode()).isNotZero();
		assertThat(String.join("\n", run.log())).contains("APPLICATION FAILED TO START", "HSQL Database Engine",
				"Action:");
	}

	private static List<String> on(TestDatabase database) {
		return List.of("spring.datasource.url=" + database.jdbcUrl(),
				"spring.datasource.username=" + database.username(),
				"spring.datasource.password=" + database.password());
	}

	private static List<String> compare(Class<?> application, List<String> arguments, TestDatabase database,
			List<?>... excluded) {
		List<String> all = new ArrayList<>(on(database));
		all.addAll(arguments);
		return compare(application, all, excluded);
	}

	private static List<String> compare(Class<?> application, List<String> arguments, List<?>... excluded) {
		List<?>[] more = Arrays.copyOf(excluded, excluded.length + 1);
		more[excluded.length] = STARTER;
		return requireEqual(run(application, arguments, without(more)), run(application, arguments, without(excluded)));
	}

	/**
	 * Everything is the same but for the library's own definitions of beans, of which few
	 * are created.
	 */
	private static List<String> requireEqual(Run without, Run with) {
		List<String> added = new ArrayList<>(with.facts("bean "));
		added.removeAll(without.facts("bean "));
		assertThat(added).isNotEmpty()
			.allMatch((name) -> name.contains("idempot") || name.equals("bean requestDataValueProcessor"));
		assertThat(with.facts("bean ")).containsAll(without.facts("bean "));
		for (String kind : List.of("table ", "health ", "mapping ", "thread ")) {
			assertThat(with.facts(kind)).as(kind).containsExactlyInAnyOrderElementsOf(without.facts(kind));
		}
		assertThat(with.log()).containsExactlyInAnyOrderElementsOf(without.log());
		String created = with.facts("number of created ").get(0);
		System.out.println(added.size() + " definitions, " + created);
		assertThat(Integer.parseInt(created.substring("number of created ".length())))
			.as(with.facts("created ")::toString)
			.isLessThanOrEqualTo(MOST_BEANS);
		return with.facts("");
	}

	private static Run run(Class<?> application, List<String> arguments, String classPath) {
		Run run = start(application, arguments, classPath);
		assertThat(run.exitCode()).as(String.join("\n", run.lines())).isZero();
		return run;
	}

	private static Run start(Class<?> application, List<String> arguments, String classPath) {
		List<String> all = new ArrayList<>(
				List.of(application.getName(), "--server.port=0", "--spring.main.banner-mode=off",
						"--spring.jmx.enabled=false", "--logging.config=classpath:plain/logback.xml"));
		arguments.forEach((argument) -> all.add("--" + argument));
		try (JavaProcess process = JavaProcess.startOn(classPath, Facts.class, all)) {
			int exitCode = process.awaitExit();
			return new Run(exitCode, process.awaitOutput().lines().toList());
		}
	}

	/**
	 * The class path of the tests without some of it.
	 */
	private static String without(List<?>... excluded) {
		List<String> names = Stream.of(excluded).flatMap(List::stream).map(String.class::cast).toList();
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> names.stream().noneMatch(relevant(entry)::contains))
			.collect(Collectors.joining(File.pathSeparator));
	}

	/**
	 * The name of a jar, or of the module whose classes a directory holds.
	 */
	private static String relevant(String entry) {
		File file = new File(entry);
		return file.isDirectory() ? file.getParentFile().getParentFile().getName() : file.getName();
	}

	/**
	 * A process that has ended.
	 */
	private record Run(int exitCode, List<String> lines) {

		List<String> facts(String kind) {
			return this.lines.stream()
				.filter((line) -> line.startsWith(Facts.PREFIX + kind))
				.map((line) -> line.substring(Facts.PREFIX.length()))
				.toList();
		}

		/**
		 * Numbers are times, ports and hash codes.
		 */
		List<String> log() {
			return this.lines.stream()
				.filter((line) -> !line.startsWith(Facts.PREFIX))
				.map((line) -> line.replaceAll("(@|test_)[0-9a-f]+", "$1").replaceAll("[0-9]+", "#"))
				.toList();
		}

	}

}
