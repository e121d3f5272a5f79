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
package dev.idempotency.conformance.job;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.dbscheduler.JobScheduler;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Jobs that go well, on one node.
 */
@Tag("P7")
class JobTests {

	private static RunningApplication application;

	private static StagedJobs jobs;

	private String label = "";

	@BeforeAll
	static void start() {
		application = JobApplication.start(MigratedDatabase.create());
		jobs = application.context().getBean(StagedJobs.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void chooseLabel() {
		this.label = UUID.randomUUID().toString();
	}

	private long effects() {
		return application.effects(this.label);
	}

	private void awaitDone() {
		await().until(() -> JobApplication.queued(application) == 0);
	}

	@Test
	void aJobOfARolledBackTransactionDoesNotExist() {
		JobApplication.transaction(application).executeWithoutResult((status) -> {
			jobs.stage(JobApplication.RECORD, new Labelled(this.label));
			assertThat(JobApplication.queued(application)).isEqualTo(1);
			status.setRollbackOnly();
		});
		assertThat(JobApplication.queued(application)).isZero();
		JobApplication.stage(application, JobApplication.RECORD, this.label + "-later");
		awaitDone();
		assertThat(application.effects(this.label + "-later")).isEqualTo(1);
		assertThat(effects()).isZero();
	}

	@Test
	void aJobOfACommittedTransactionRunsOnceAndIsGone() {
		JobApplication.transaction(application).executeWithoutResult((status) -> {
			application.context().getBean(Effects.class).record(this.label + "-business");
			jobs.stage(JobApplication.RECORD, new Labelled(this.label));
		});
		awaitDone();
		assertThat(effects()).isEqualTo(1);
		assertThat(application.effects(this.label + "-business")).isEqualTo(1);
		assertThat(jobs.dead()).isEmpty();
	}

	@Test
	void aJobForLaterWaitsForItsTime() {
		JobApplication.transaction(application)
			.executeWithoutResult((status) -> jobs.stage(JobApplication.RECORD, new Labelled(this.label),
					java.time.Instant.now().plusSeconds(3600)));
		JobApplication.stage(application, JobApplication.RECORD, this.label + "-now");
		await().until(() -> application.effects(this.label + "-now") == 1);
		assertThat(JobApplication.queued(application)).isEqualTo(1);
		assertThat(effects()).isZero();
		application.jdbc()
			.update("update idempotency_job set execution_time = clock_timestamp() where task_name <> ''");
		awaitDone();
		assertThat(effects()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1000000000-01-01T00:00:00Z", "+10000-01-01T00:00:00Z",
			"+1000000000-12-31T23:59:59.999999999Z" })
	void aJobForATimeThatNoDatabaseHoldsIsRefusedWhenItIsStaged(Instant time) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> JobApplication.transaction(application)
				.execute((status) -> jobs.stage(JobApplication.RECORD, new Labelled(this.label), time)))
			.withMessageContaining("The job record")
			.withMessageContaining("between the years 1 and 9999");
	}

	@Test
	void aJobThatIsDeliveredAgainAfterItWasDoneHasNoSecondEffect() {
		JobApplication.transaction(application).executeWithoutResult((status) -> {
			jobs.stage(JobApplication.RECORD, new Labelled(this.label));
			application.jdbc().execute("create table delivered as select * from idempotency_job where task_name <> ''");
		});
		awaitDone();
		assertThat(application.jdbc().update("insert into idempotency_job select * from delivered")).isEqualTo(1);
		awaitDone();
		assertThat(effects()).isEqualTo(1);
	}

	/**
	 * A node that still lives is presumed dead.
	 */
	@Test
	void aJobThatIsDeliveredAgainWhileItRunsHasOneEffect() {
		Gates gates = application.context().getBean(Gates.class);
		UUID id = JobApplication.stage(application, JobApplication.GATED, this.label);
		gates.awaitReached(this.label);
		application.jdbc()
			.update("update idempotency_job set picked = false, picked_by = null, execution_time = clock_timestamp(), "
					+ "version = version + 1 where task_instance = ?", id.toString());
		await("the second delivery is refused").until(() -> application.jdbc()
			.queryForObject("select version from idempotency_job where task_instance = ?", Long.class,
					id.toString()) > 3);
		assertThat(effects()).isZero();
		gates.open(this.label);
		awaitDone();
		assertThat(effects()).isEqualTo(1);
		assertThat(jobs.dead()).isEmpty();
	}

	@Test
	void aShutdownWaitsForTheJobThatIsRunning() {
		JobScheduler scheduler = application.context().getBean(JobScheduler.class);
		Gates gates = application.context().getBean(Gates.class);
		JobApplication.stage(application, JobApplication.GATED, this.label);
		gates.awaitReached(this.label);
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(scheduler::stop);
		try {
			await().until(() -> !scheduler.isRunning());
			gates.open(this.label);
			stopped.join();
			assertThat(effects()).isEqualTo(1);
		}
		finally {
			scheduler.start();
		}
	}

	@Test
	void withoutATransactionOfTheBusinessRowsNothingIsStaged() {
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> jobs.stage(JobApplication.RECORD, new Labelled(this.label)))
			.withMessageContaining("The job record cannot be staged: there is no transaction")
			.withMessageContaining("@Transactional");
		TransactionTemplate readOnly = JobApplication.transaction(application);
		readOnly.setReadOnly(true);
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> readOnly.execute((status) -> jobs.stage(JobApplication.RECORD, new Labelled(this.label))))
			.withMessageContaining("read-only");
		TestDatabase other = application.database();
		TransactionTemplate foreign = new TransactionTemplate(new DataSourceTransactionManager(
				new DriverManagerDataSource(other.jdbcUrl(), other.username(), other.password())));
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> foreign.execute((status) -> jobs.stage(JobApplication.RECORD, new Labelled(this.label))))
			.withMessageContaining("idempotency.transaction-manager");
		assertThat(JobApplication.queued(application)).isZero();
	}

	@Test
	void inATransactionThatHasEndedNothingIsStaged() {
		JobApplication.transaction(application)
			.executeWithoutResult((status) -> TransactionSynchronizationManager
				.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						assertThatExceptionOfType(IllegalTransactionStateException.class)
							.isThrownBy(() -> jobs.stage(JobApplication.RECORD, new Labelled(JobTests.this.label)))
							.withMessageContaining("the transaction has ended");
					}

				}));
	}

	@Test
	void aTypeThatMeansSomethingElseToItsHandlerIsRefusedBeforeTheCommit() {
		JobType<String> same = JobType.of(JobApplication.RECORD.name(), String.class);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> JobApplication.transaction(application).execute((status) -> jobs.stage(same, "text")))
			.withMessageContaining("Use one JobType constant for both");
	}

	@Test
	void whereThePoolDoesNotCommitByItselfJobsAreDoneAllTheSame() {
		try (RunningApplication careful = JobApplication.start(MigratedDatabase.create(),
				"spring.datasource.hikari.auto-commit=false")) {
			JobApplication.stage(careful, JobApplication.RECORD, this.label);
			await().until(() -> careful.effects(this.label) == 1);
			await().until(() -> JobApplication.queued(careful) == 0);
		}
	}

	@Test
	void encryptedPayloadsAreUnreadableInTheDatabaseAndReadableForTheirHandler() {
		String key = java.util.Base64.getEncoder().encodeToString(new byte[32]);
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication encrypting = JobApplication.start(database, "idempotency.codec.type=aes-gcm",
				"idempotency.codec.keys.k=" + key)) {
			JobApplication.transaction(encrypting).executeWithoutResult((status) -> {
				encrypting.context().getBean(StagedJobs.class).stage(JobApplication.RECORD, new Labelled(this.label));
				assertThat(encrypting.jdbc()
					.queryForList("select task_data from idempotency_job where task_name <> ''", byte[].class))
					.singleElement()
					.satisfies((data) -> assertThat(new String(data, StandardCharsets.ISO_8859_1))
						.doesNotContain(this.label));
			});
			await().until(() -> encrypting.effects(this.label) == 1);
		}
	}

}
