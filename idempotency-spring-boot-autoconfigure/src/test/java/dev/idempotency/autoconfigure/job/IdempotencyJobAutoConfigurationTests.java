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
package dev.idempotency.autoconfigure.job;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.boot.autoconfigure.DbSchedulerAutoConfiguration;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.StagedJobs.DeadJob;
import dev.idempotency.job.dbscheduler.JobScheduler;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyJobAutoConfigurationTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private static final JobType<String> GREETING = JobType.of("greeting", String.class);

	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE)
		.withPropertyValues("idempotency.reaper.enabled=false");

	private static void stage(ApplicationContext context, String payload) {
		new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> context.getBean(StagedJobs.class).stage(GREETING, payload));
	}

	@Test
	void runsJobsFromTheStartToTheEndOfTheApplication() {
		JobScheduler[] scheduler = new JobScheduler[1];
		this.contextRunner.withUserConfiguration(Greetings.class).run((context) -> {
			scheduler[0] = context.getBean(JobScheduler.class);
			stage(context, "hello");
			assertThat(context.getBean(Greetings.class).next()).isEqualTo("hello");
			assertThat(scheduler[0].isRunning()).isTrue();
		});
		assertThat(scheduler[0].isRunning()).isFalse();
	}

	@Test
	void canBeStoppedAndStartedAgain() {
		this.contextRunner.withUserConfiguration(Greetings.class).run((context) -> {
			JobScheduler scheduler = context.getBean(JobScheduler.class);
			scheduler.stop();
			stage(context, "later");
			assertThat(context.getBean(StagedJobs.class).staged()).isEqualTo(1);
			scheduler.start();
			assertThat(context.getBean(Greetings.class).next()).isEqualTo("later");
		});
	}

	@Test
	void isSwitchedOffByItsProperty() {
		this.contextRunner.withPropertyValues("idempotency.job.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(StagedJobs.class)
				.doesNotHaveBean(JobScheduler.class));
	}

	@Test
	void leavesTheStagedJobsOfTheApplicationAlone() {
		StagedJobs own = new OwnStagedJobs();
		this.contextRunner.withBean(StagedJobs.class, () -> own)
			.run((context) -> assertThat(context).doesNotHaveBean(JobScheduler.class)
				.getBean(StagedJobs.class)
				.isSameAs(own));
	}

	@Test
	void isNotThereWithoutDbScheduler() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("com.github.kagkarlsson"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StagedJobs.class));
	}

	@Test
	void backsOffWithoutADatabase() {
		TestContexts.withoutDatabase()
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StagedJobs.class));
	}

	@Test
	void twoHandlersOfOneTypeStopTheApplication() {
		this.contextRunner.withUserConfiguration(Greetings.class, OtherGreetings.class)
			.run((context) -> assertThat(context).getFailure()
				.hasRootCauseInstanceOf(InvalidIdempotentException.class)
				.rootCause()
				.hasMessageContaining("Two beans handle jobs of the type 'greeting'")
				.hasMessageContaining("Declare one JobHandler for each type"));
	}

	@Test
	void leavesTheSchedulingOfTheApplicationAlone() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(TaskSchedulingAutoConfiguration.class))
			.withUserConfiguration(Greetings.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(TaskScheduler.class)
				.doesNotHaveBean(Scheduler.class));
	}

	@Test
	@Tag("P7")
	void theDbSchedulerOfTheApplicationRunsItsTasksBesideTheJobs() {
		DATABASE.execute("""
				create table if not exists scheduled_tasks (
					task_name text not null, task_instance text not null, task_data bytea,
					execution_time timestamptz not null, picked boolean not null, picked_by text,
					last_success timestamptz, last_failure timestamptz, consecutive_failures int,
					last_heartbeat timestamptz, version bigint not null, priority smallint,
					primary key (task_name, task_instance))""");
		this.contextRunner.withConfiguration(AutoConfigurations.of(DbSchedulerAutoConfiguration.class))
			.withUserConfiguration(Greetings.class, OwnTask.class)
			.withPropertyValues("db-scheduler.immediate-execution-enabled=true", "db-scheduler.polling-interval=100ms")
			.run((context) -> {
				assertThat(context).hasSingleBean(Scheduler.class);
				stage(context, "from a job");
				context.getBean(Scheduler.class).schedule(new TaskInstance<Void>("greet", "1"), Instant.now());
				Greetings greetings = context.getBean(Greetings.class);
				assertThat(List.of(greetings.next(), greetings.next())).containsExactlyInAnyOrder("from a job",
						"from a task");
				assertThat(JdbcClient.create(context.getBean(javax.sql.DataSource.class))
					.sql("select count(*) from scheduled_tasks where task_name <> 'greet'")
					.query(Long.class)
					.single()).isZero();
			});
	}

	@Configuration(proxyBeanMethods = false)
	static class Greetings {

		private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

		@Bean
		JobHandler<String> greetingHandler() {
			return JobHandler.of(GREETING, this.received::add);
		}

		String next() throws InterruptedException {
			String next = this.received.poll(1, TimeUnit.MINUTES);
			return (next != null) ? next : "nothing within a minute";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherGreetings {

		@Bean
		JobHandler<String> otherGreetingHandler() {
			return JobHandler.of(GREETING, (payload) -> {
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTask {

		@Bean
		OneTimeTask<Void> greet(Greetings greetings) {
			return Tasks.oneTime("greet").execute((instance, context) -> greetings.received.add("from a task"));
		}

	}

	static final class OwnStagedJobs implements StagedJobs {

		@Override
		public <T> UUID stage(JobType<T> type, T payload) {
			throw new AssertionError("Nobody calls this");
		}

		@Override
		public <T> UUID stage(JobType<T> type, T payload, Instant notBefore) {
			throw new AssertionError("Nobody calls this");
		}

		@Override
		public int staged() {
			return 0;
		}

		@Override
		public List<DeadJob> dead(int limit) {
			return List.of();
		}

		@Override
		public void retry(UUID id) {
			throw new AssertionError("Nobody calls this");
		}

		@Override
		public void discard(UUID id) {
			throw new AssertionError("Nobody calls this");
		}

	}

}
