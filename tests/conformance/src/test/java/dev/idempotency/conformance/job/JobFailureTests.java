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

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.account.Account;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.StagedJobs.DeadJob;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Jobs that fail. They wait for hours here: the test decides when an hour has passed.
 */
@Tag("P7")
class JobFailureTests {

	private static TestDatabase database;

	private static RunningApplication application;

	private static StagedJobs jobs;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		database = MigratedDatabase.create();
		application = JobApplication.start(database, "idempotency.job.max-attempts=4",
				"idempotency.job.polling-interval=1h");
		jobs = application.context().getBean(StagedJobs.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	/**
	 * The hours until the next attempt, once so many have failed.
	 */
	private static int awaitFailures(UUID id, int failures) {
		String sql = """
				select round(extract(epoch from execution_time - last_failure) / 3600)::int from idempotency_job
				where task_instance = ? and consecutive_failures = ? and not picked""";
		await().until(() -> !application.jdbc().queryForList(sql, id.toString(), failures).isEmpty());
		return Objects.requireNonNull(application.jdbc().queryForObject(sql, Integer.class, id.toString(), failures));
	}

	/**
	 * Makes a job due, and another one that was staged here lets this node look for both.
	 */
	private static void letTheTimePass(UUID id) {
		update(id, "execution_time = clock_timestamp()");
		JobApplication.transaction(application)
			.executeWithoutResult((status) -> jobs.stage(JobApplication.RECORD, new Labelled("the time has passed"),
					Instant.now().minus(Duration.ofHours(1))));
	}

	private static void update(UUID id, String columns) {
		application.jdbc().update("update idempotency_job set " + columns + " where task_instance = ?", id.toString());
	}

	private UUID stageDead() {
		UUID id = JobApplication.stage(application, JobApplication.FAIL, this.label);
		for (int failures = 1; failures < 4; failures++) {
			awaitFailures(id, failures);
			letTheTimePass(id);
		}
		await().until(() -> jobs.dead().stream().anyMatch((dead) -> dead.id().equals(id)));
		return id;
	}

	private static double count(String meter) {
		return application.context()
			.getBean(MeterRegistry.class)
			.get(meter)
			.tag("operation", "job.fail")
			.counter()
			.count();
	}

	@Test
	void aFailedJobLeavesNothingAndWaitsLongerEachTime() {
		UUID id = JobApplication.stage(application, JobApplication.FAIL, this.label);
		assertThat(awaitFailures(id, 1)).isEqualTo(1);
		assertThat(application.effects(this.label)).isZero();
		letTheTimePass(id);
		assertThat(awaitFailures(id, 2)).isEqualTo(2);
		letTheTimePass(id);
		assertThat(awaitFailures(id, 3)).isEqualTo(4);
		application.context().getBean(JobApplication.Repaired.class).labels().add(this.label);
		letTheTimePass(id);
		await().until(() -> application.effects(this.label) == 1);
		assertThat(jobs.dead()).extracting(DeadJob::id).doesNotContain(id);
	}

	@Test
	void anErrorIsAFailureLikeAnyOther() {
		String broken = this.label + JobApplication.ERROR;
		UUID id = JobApplication.stage(application, JobApplication.FAIL, broken);
		assertThat(awaitFailures(id, 1)).isEqualTo(1);
		assertThat(application.effects(broken)).isZero();
		letTheTimePass(id);
		assertThat(awaitFailures(id, 2)).isEqualTo(2);
		application.context().getBean(JobApplication.Repaired.class).labels().add(broken);
		letTheTimePass(id);
		await().until(() -> application.effects(broken) == 1);
	}

	/**
	 * That another node runs the job itself is no failure of it, but this is.
	 */
	@Test
	void anOperationOfItsHandlerThatRunsElsewhereIsAFailureLikeAnyOther() {
		IdempotencyRequest request = IdempotencyRequest.of("test.nested", this.label).withAccount(Account.SHARED);
		IdempotencyOperations operations = application.context().getBean(IdempotencyOperations.class);
		AtomicReference<UUID> id = new AtomicReference<>();
		operations.execute(request, Void.class, () -> {
			id.set(CompletableFuture
				.supplyAsync(() -> JobApplication.stage(application, JobApplication.NESTED, this.label))
				.join());
			assertThat(awaitFailures(id.get(), 1)).isEqualTo(1);
			return null;
		});
		letTheTimePass(id.get());
		await().until(() -> application.jdbc()
			.queryForList("select 1 from idempotency_job where task_instance = ?", id.get().toString())
			.isEmpty());
	}

	@Test
	void afterTheLastAttemptItIsKeptListedAndRunAgainWhenSomebodySaysSo() {
		double failedBefore = count("idempotency.job.failed");
		double deadBefore = count("idempotency.job.dead");
		UUID id = stageDead();
		DeadJob dead = jobs.dead().stream().filter((job) -> job.id().equals(id)).findFirst().orElseThrow();
		assertThat(dead.type()).isEqualTo("fail");
		assertThat(dead.attempts()).isEqualTo(4);
		assertThat(dead.stagedAt()).isBefore(dead.diedAt());
		assertThat(dead.lastError()).isEqualTo("java.lang.IllegalStateException < java.io.IOException");
		await().until(() -> count("idempotency.job.dead") == deadBefore + 1);
		assertThat(count("idempotency.job.failed")).isEqualTo(failedBefore + 4);
		assertThat(application.effects(this.label)).isZero();
		assertThat(
				application.jdbc().queryForList("select 1 from idempotency_job where task_instance = ?", id.toString()))
			.isEmpty();

		application.context().getBean(JobApplication.Repaired.class).labels().add(this.label);
		jobs.retry(id);
		await().until(() -> application.effects(this.label) == 1);
		assertThat(jobs.dead()).extracting(DeadJob::id).doesNotContain(id);
		assertThatIllegalArgumentException().isThrownBy(() -> jobs.retry(id)).withMessageContaining(id.toString());
	}

	@Test
	void aRetriedJobHasAllOfItsAttemptsAgain() {
		UUID id = stageDead();
		jobs.retry(id);
		assertThat(awaitFailures(id, 1)).isEqualTo(1);
		assertThat(jobs.dead()).extracting(DeadJob::id).doesNotContain(id);
	}

	@Test
	void aRetryThatIsRolledBackLeavesTheJobDead() {
		UUID id = stageDead();
		JobApplication.transaction(application).executeWithoutResult((status) -> {
			jobs.retry(id);
			status.setRollbackOnly();
		});
		assertThat(jobs.dead()).extracting(DeadJob::id).contains(id);
	}

	@Test
	void aDeadJobCanBeDiscarded() {
		UUID id = stageDead();
		jobs.discard(id);
		assertThat(jobs.dead()).extracting(DeadJob::id).doesNotContain(id);
		assertThatIllegalArgumentException().isThrownBy(() -> jobs.discard(id)).withMessageContaining(id.toString());
	}

	@Test
	void theDeadOfAnotherApplicationOnTheSameDatabaseAreNoneOfOurs() {
		UUID id = stageDead();
		try (RunningApplication other = JobApplication.start(database, "idempotency.namespace=other")) {
			StagedJobs theirs = other.context().getBean(StagedJobs.class);
			assertThat(theirs.dead()).isEmpty();
			assertThatIllegalArgumentException().isThrownBy(() -> theirs.retry(id));
		}
	}

	/**
	 * Unknown types are looked at again when nodes are looked for that have gone, which
	 * is when the lost job here is found.
	 */
	@Test
	void aJobOfAnUnknownTypeIsLeftForANodeThatKnowsIt() {
		UUID unknown = JobApplication.stage(application, LaterVersion.TYPE, this.label + "-unknown");
		update(unknown, "execution_time = clock_timestamp() - interval '10 years'");
		JobApplication.stage(application, JobApplication.RECORD, this.label);
		await().until(() -> application.effects(this.label) == 1);
		awaitLostJobIsFound();
		assertThat(application.jdbc()
			.queryForList("select picked from idempotency_job where task_instance = ?", Boolean.class,
					unknown.toString()))
			.containsExactly(false);
		try (RunningApplication later = RunningApplication.start(database, List.of(LaterVersion.class))) {
			await().until(() -> later.effects(this.label + "-unknown") == 1);
		}
	}

	@Test
	void aJobWhoseNodeIsLostIsRunAgainAndThatCountsAsAnAttempt() {
		UUID lost = awaitLostJobIsFound();
		letTheTimePass(lost);
		await().until(() -> application.effects(this.label + "-lost") == 1);
	}

	private UUID awaitLostJobIsFound() {
		UUID lost = Objects.requireNonNull(JobApplication.transaction(application)
			.execute((status) -> jobs.stage(JobApplication.RECORD, new Labelled(this.label + "-lost"),
					Instant.now().plus(Duration.ofHours(1)))));
		update(lost, "picked = true, version = 2, last_heartbeat = clock_timestamp() - interval '1 hour'");
		assertThat(awaitFailures(lost, 1)).isEqualTo(1);
		return lost;
	}

	@Configuration(proxyBeanMethods = false)
	static class LaterVersion {

		static final JobType<Labelled> TYPE = JobType.of("of-a-later-version", Labelled.class);

		@Bean
		JobHandler<Labelled> laterHandler(Effects effects) {
			return JobHandler.of(TYPE, (payload) -> effects.record(payload.label()));
		}

	}

}
