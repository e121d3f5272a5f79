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
package dev.idempotency.conformance.database;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.conformance.app.AnnotatedService;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.jpa.IdempotencyRecordRepository;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.domain.Limit;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * The tables on each database, beside Hibernate's own tools.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("jpa")
class SchemaTests {

	private static final String NO_TABLES = "spring.jpa.hibernate.ddl-auto=none";

	/**
	 * An application on each database that was empty before, for the tests that leave its
	 * tables as they are.
	 */
	private static final Map<DatabaseKind, RunningApplication> APPLICATIONS = new EnumMap<>(DatabaseKind.class);

	/**
	 * The output of their starts.
	 */
	private static final Map<DatabaseKind, String> OUTPUTS = new EnumMap<>(DatabaseKind.class);

	@BeforeAll
	static void start(CapturedOutput output) {
		for (DatabaseKind kind : DatabaseKind.values()) {
			int before = output.length();
			APPLICATIONS.put(kind,
					RunningApplication.startWithoutServer(TestDatabase.create(kind), List.of(AnnotatedService.class),
							"spring.jpa.hibernate.ddl-auto=update", "logging.level.org.hibernate.SQL=debug"));
			OUTPUTS.put(kind, output.toString().substring(before));
		}
	}

	@AfterAll
	static void stop() {
		APPLICATIONS.values().forEach(RunningApplication::close);
	}

	@ParameterizedTest
	@EnumSource
	void hibernateLeavesTheTablesAsTheMigrationsMadeThem(DatabaseKind kind) {
		assertThat(APPLICATIONS.get(kind).records()).isZero();
		assertThat(OUTPUTS.get(kind).toLowerCase(Locale.ROOT)).contains("create table effect")
			.doesNotContain("alter table if exists idempotency_")
			.doesNotContain("alter table idempotency_")
			.doesNotContain("create table idempotency_record");
	}

	@ParameterizedTest
	@EnumSource
	void hibernateAndTheLibraryFindTheTablesValid(DatabaseKind kind) {
		try (RunningApplication application = RunningApplication.startWithoutServer(APPLICATIONS.get(kind).database(),
				List.of(AnnotatedService.class), "spring.jpa.hibernate.ddl-auto=validate",
				"idempotency.schema.management=validate")) {
			assertThat(application.records()).isZero();
		}
	}

	/**
	 * Liquibase itself does not find its table again where H2 folds names to lower case.
	 */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2_POSTGRESQL")
	void liquibaseMakesTheTablesThatTheLibraryFindsValid(DatabaseKind kind) {
		TestDatabase database = TestDatabase.create(kind);
		for (int start = 1; start <= 2; start++) {
			RunningApplication
				.startWithoutServer(database, List.of(AnnotatedService.class), NO_TABLES,
						"idempotency.schema.management=liquibase")
				.close();
		}
		RunningApplication
			.startWithoutServer(database, List.of(AnnotatedService.class), NO_TABLES,
					"idempotency.schema.management=validate")
			.close();
	}

	@ParameterizedTest
	@EnumSource
	void tablesAreInTheSchemaThatThePropertyNames(DatabaseKind kind) {
		TestDatabase database = TestDatabase.create(kind);
		database.execute("create schema app");
		String schema = "idempotency.schema.name=" + ((kind == DatabaseKind.H2) ? "APP" : "app");
		for (String management : List.of("flyway", "validate")) {
			try (RunningApplication application = RunningApplication.startWithoutServer(database,
					List.of(AnnotatedService.class), schema, "idempotency.schema.management=" + management)) {
				assertThat(application.jdbc().queryForObject("select count(*) from app.idempotency_record", Long.class))
					.isZero();
				assertThat(application.context().getBean(IdempotencyStore.class).deleteExpired(1)).isZero();
				assertThat(application.context().getBean(OperatorStore.class).overview().running()).isZero();
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void theRepositoryReadsTheTimesThatTheStoreWrites(DatabaseKind kind) {
		RunningApplication application = APPLICATIONS.get(kind);
		IdempotencyStore store = application.context().getBean(IdempotencyStore.class);
		Identity identity = new Identity(new byte[32], new byte[1]);
		new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> {
				store.acquire(identity);
				store.finish(new FinishedRecord(identity, "test", new byte[32],
						new EncodedResponse(201, new byte[] { 1 }), Duration.ofHours(1)));
			});
		KeptRecord kept = application.context().getBean(OperatorStore.class).find(identity).orElseThrow();
		assertThat(Duration.between(kept.finishedAt(), store.now()).abs()).isLessThan(Duration.ofMinutes(5));
		assertThat(Duration.between(kept.finishedAt(), kept.expiresAt())).isEqualTo(Duration.ofHours(1));
		IdempotencyRecordRepository records = application.context().getBean(IdempotencyRecordRepository.class);
		assertThat(records.count()).isEqualTo(1);
		assertThat(records.findById(identity.digest())).isPresent();
		assertThat(records.findByOperationOrderByFinishedAtDesc("test", Limit.of(5))).hasSize(1);
		assertThat(records.findByAccountOrderByFinishedAtDesc(new byte[1], Limit.of(5))).hasSize(1);
		assertThat(records.countByExpiresAtLessThanEqual(store.now())).isZero();
		assertThat(records.deleteByOperation("other")).isZero();
		assertThat(records.deleteByOperation("test")).isEqualTo(1);
		assertThat(records.countByOperation("test")).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void theLibraryMissesTheTables(DatabaseKind kind) {
		TestDatabase database = TestDatabase.create(kind);
		assertThatException()
			.isThrownBy(() -> RunningApplication.startWithoutServer(database, List.of(AnnotatedService.class),
					NO_TABLES, "idempotency.schema.management=validate"))
			.satisfies((ex) -> assertThat(NestedExceptionUtils.getMostSpecificCause(ex))
				.hasMessageContaining("table idempotency_lease"));
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.INCLUDE, names = { "H2", "H2_POSTGRESQL" })
	void theLibraryMissesTheClockOfH2(DatabaseKind kind) {
		TestDatabase database = TestDatabase.create(kind);
		RunningApplication.startWithoutServer(database, List.of(AnnotatedService.class), NO_TABLES).close();
		database.execute("drop alias idempotency_now");
		assertThatException()
			.isThrownBy(() -> RunningApplication.startWithoutServer(database, List.of(AnnotatedService.class),
					NO_TABLES, "idempotency.schema.management=validate"))
			.satisfies((ex) -> assertThat(NestedExceptionUtils.getMostSpecificCause(ex))
				.hasMessageContaining("lacks: function idempotency_now."));
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
	void theOutboxIsRefusedWhereItHasNoTable(DatabaseKind kind) {
		TestDatabase database = TestDatabase.create(kind);
		assertThatException()
			.isThrownBy(() -> RunningApplication.startWithoutServer(database, List.of(Receivers.class),
					"idempotency.outbox.enabled=true"))
			.satisfies((ex) -> assertThat(NestedExceptionUtils.getMostSpecificCause(ex))
				.hasMessageContaining("idempotency.outbox.enabled=true is not supported on"));
	}

	@ParameterizedTest
	@EnumSource
	void startUpSaysHowRequestsAreClaimed(DatabaseKind kind) {
		assertThat(OUTPUTS.get(kind)).contains(switch (kind) {
			case POSTGRESQL -> "PostgreSQL: transaction-scoped advisory lock, one insert";
			case H2, H2_POSTGRESQL -> "H2: row that is never committed, locked without waiting";
		});
	}

	@ParameterizedTest
	@EnumSource
	void startUpWarnsOfADatabaseForTests(DatabaseKind kind) {
		if (kind == DatabaseKind.POSTGRESQL) {
			assertThat(OUTPUTS.get(kind)).doesNotContain("IDEM-1015");
		}
		else {
			assertThat(OUTPUTS.get(kind)).containsOnlyOnce("[IDEM-1015] The records are kept in H2");
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Receivers {

		@Bean
		EventSender eventSender() {
			return (event) -> CompletableFuture.completedFuture(event);
		}

	}

}
