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
package dev.idempotency.conformance.surroundings;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.CoreMigrationType;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.user.InvoiceRepository;
import dev.idempotency.conformance.user.UserApplication;
import dev.idempotency.conformance.user.UserApplication.RecordingInterceptor;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application's own configuration keeps working unchanged.
 */
@Tag("jpa")
class UserApplicationTests {

	private static RunningApplication application;

	private static RecordingInterceptor interceptor;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(TestDatabase.create(), List.of(UserApplication.class),
				"spring.jpa.hibernate.ddl-auto=validate", "spring.flyway.enabled=true",
				"spring.flyway.locations=classpath:db/user");
		interceptor = application.context().getBean(RecordingInterceptor.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void forget() {
		interceptor.takeCalls();
	}

	private static long invoices(RunningApplication application, String label) {
		return application.context().getBean(InvoiceRepository.class).countByLabel(label);
	}

	@Test
	@Tag("O7")
	void ownEntitiesRepositoriesAndTransactionManagerShareTheOneCommit() {
		HttpResponse<byte[]> first = application.post("/invoices", "own");
		assertOriginal(first, 201);
		assertReplay(application.post("/invoices", "own"), first);
		assertThat(invoices(application, "own")).isEqualTo(1);
	}

	@Test
	@Tag("O7")
	void ownMigrationsKeepTheirHistory() {
		Flyway own = application.context().getBean(Flyway.class);
		assertThat(scripts(own)).containsExactly("V1__invoice.sql");
		assertThat(scripts(
				Flyway.configure().configuration(own.getConfiguration()).table("idempotency_schema_history").load()))
			.contains("V1__idempotency_record.sql")
			.doesNotContain("V1__invoice.sql");
	}

	/**
	 * Returns the scripts in a history.
	 */
	private static List<String> scripts(Flyway flyway) {
		return Stream.of(flyway.info().applied())
			.filter((migration) -> migration.getType() == CoreMigrationType.SQL)
			.map(MigrationInfo::getScript)
			.toList();
	}

	@Test
	@Tag("O7")
	void interceptorsAreCalledInOrderOnTheFirstDeliveryAndOnAReplay() {
		application.post("/invoices", "intercepted");
		assertThat(interceptor.takeCalls()).containsExactly("pre", "post", "completion");
		application.post("/invoices", "intercepted");
		assertThat(interceptor.takeCalls()).containsExactly("pre", "post", "completion");
	}

	@Test
	@Tag("O7")
	void aResponseBodyAdviceIsAppliedOnceAndItsResultIsReplayed() {
		HttpResponse<byte[]> first = application.post("/invoices", "stamped");
		assertThat(text(first)).startsWith("{\"stamped\":{\"id\":");
		HttpResponse<byte[]> retry = application.post("/invoices", "stamped");
		assertReplay(retry, first);
		assertThat(first.headers().allValues("X-Stamp")).containsExactly("stamped");
		assertThat(retry.headers().allValues("X-Stamp")).containsExactly("stamped");
	}

	@Test
	@Tag("O7")
	void aControllerAdviceAnswersAndIsReplayed() {
		HttpResponse<byte[]> refused = application.post("/invoices", "advised");
		assertOriginal(refused, 422);
		assertThat(text(refused)).isEqualTo("{\"stamped\":{\"advised\":true}}");
		assertReplay(application.post("/invoices", "advised"), refused);
		assertThat(invoices(application, "advised")).isZero();
	}

	@Test
	@Tag("O7")
	void anExceptionResolverAnswersAndIsReplayed() {
		HttpResponse<byte[]> refused = application.post("/invoices", "locked");
		assertOriginal(refused, 423);
		HttpResponse<byte[]> retry = application.post("/invoices", "locked");
		assertReplay(retry, refused);
		assertThat(retry.headers().allValues("X-Locked")).isEqualTo(List.of("by somebody"));
		assertThat(invoices(application, "locked")).isZero();
	}

	@Test
	@Tag("O7")
	void anApplicationWithoutMigrationsOfItsOwnStillGetsTheTable() {
		try (RunningApplication other = RunningApplication.start(UserApplication.class,
				"spring.flyway.enabled=false")) {
			HttpResponse<byte[]> first = other.post(ALICE, "/invoices", "k", Labelled.json("no-flyway"));
			assertOriginal(first, 201);
			assertReplay(other.post(ALICE, "/invoices", "k", Labelled.json("no-flyway")), first);
			assertThat(other.context().getBeanNamesForType(Flyway.class)).isEmpty();
			assertThat(invoices(other, "no-flyway")).isEqualTo(1);
		}
	}

}
