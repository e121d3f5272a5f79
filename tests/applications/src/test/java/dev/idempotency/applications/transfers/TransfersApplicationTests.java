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
package dev.idempotency.applications.transfers;

import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Reports of records that are in one database, and rows in another.
 */
@ExtendWith(OutputCaptureExtension.class)
class TransfersApplicationTests {

	private static final TestDatabase BOOKS = TestDatabase.create(DatabaseKind.POSTGRESQL);

	private static final TestDatabase ARCHIVE = TestDatabase.create(DatabaseKind.POSTGRESQL);

	private static ConfigurableApplicationContext start(String... arguments) {
		String[] all = { "--server.port=0", "--books.url=" + BOOKS.jdbcUrl(), "--archive.url=" + ARCHIVE.jdbcUrl(),
				"--user=" + BOOKS.username(), "--password=" + BOOKS.password(), "--idempotency.anonymous=share",
				"--spring.liquibase.enabled=false", "--spring.data.jpa.repositories.enabled=false" };
		String[] args = java.util.Arrays.copyOf(all, all.length + arguments.length);
		System.arraycopy(arguments, 0, args, all.length, arguments.length);
		return SpringApplication.run(TransfersApplication.class, args);
	}

	private static void post(ConfigurableApplicationContext context, String path) {
		RestClient.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port"))
			.post()
			.uri(path)
			.header("Idempotency-Key", UUID.randomUUID().toString())
			.retrieve()
			.toBodilessEntity();
	}

	@Test
	void whatIsCommittedElsewhereIsReportedOnceForAHandler(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start()) {
			post(context, "/plain");
			post(context, "/looking");
			assertThat(output).doesNotContain("IDEM-1313");
			post(context, "/archived");
			post(context, "/archived");
			assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-1313"))).singleElement()
				.asString()
				.contains("'archiveTransactions'", "archived");
		}
	}

	@Test
	void whatIsCommittedElsewhereUnderALeaseIsReportedToo(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start()) {
			post(context, "/archived-in-a-step");
			assertThat(output).doesNotContain("IDEM-1313");
			post(context, "/archived-under-a-lease");
			post(context, "/archived-under-a-lease");
			assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-1313"))).singleElement()
				.asString()
				.contains("'archiveTransactions'", "archivedUnderALease");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "transactional", "leased", "service" })
	void aMethodThatDeclaresAnotherTransactionManagerIsRefusedAtStartUp(String kind) {
		assertThatThrownBy(() -> start("--declared=" + kind)).hasStackTraceContaining(
				"has the transaction manager 'archiveTransactions', and its response is stored by another one");
		try (ConfigurableApplicationContext context = start("--declared=" + kind,
				"--idempotency.transaction-manager=archiveTransactions")) {
			assertThat(context.isRunning()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "endpoint", "service" })
	void aMethodThatDeclaresNoneIsRefusedWhereTheDefaultIsAnotherOne(String kind) {
		assertThatThrownBy(() -> start("--undeclared=" + kind, "--idempotency.transaction-manager=archiveTransactions"))
			.hasStackTraceContaining("has the default transaction manager, and its response is stored by another one");
		try (ConfigurableApplicationContext context = start("--undeclared=" + kind)) {
			assertThat(context.isRunning()).isTrue();
		}
	}

	@Test
	void severalTransactionManagersOfWhichNoneIsNamedAreReported(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start()) {
			assertThat(context.isRunning()).isTrue();
			assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-1004"))).singleElement()
				.asString()
				.contains("booksTransactions, archiveTransactions",
						"idempotency.transaction-manager=booksTransactions");
		}
	}

	@Test
	void theTransactionManagerThatIsNamedIsNotReported(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start("--idempotency.transaction-manager=archiveTransactions")) {
			post(context, "/archived");
			assertThat(output).doesNotContain("IDEM-1004").doesNotContain("IDEM-1313");
		}
	}

}
