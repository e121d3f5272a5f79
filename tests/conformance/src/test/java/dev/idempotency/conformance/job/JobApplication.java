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

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.account.Account;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

/**
 * A node that does jobs, in this JVM or in a separate one, where it stops as the property
 * says.
 */
@Configuration(proxyBeanMethods = false)
class JobApplication {

	/** Leaves an effect. */
	static final JobType<Labelled> RECORD = JobType.of("record", Labelled.class);

	/** Stops at the gate of its label, with an effect that is not committed. */
	static final JobType<Labelled> GATED = JobType.of("gated", Labelled.class);

	/** Leaves an effect and fails, until its label is in {@link Repaired}. */
	static final JobType<Labelled> FAIL = JobType.of("fail", Labelled.class);

	/** Calls an operation with its label as key. */
	static final JobType<Labelled> NESTED = JobType.of("nested", Labelled.class);

	/** The end of the label of a job that fails with an error. */
	static final String ERROR = "-error";

	static final String STOP = "conformance.job.stop";

	static final String REACHED = "REACHED";

	public static void main(String[] arguments) {
		TestDatabase database = new TestDatabase(arguments[0], arguments[1], arguments[2]);
		start(database, List.of(arguments).subList(3, arguments.length).toArray(new String[0]));
	}

	static RunningApplication start(TestDatabase database, String... properties) {
		List<String> all = new ArrayList<>(
				List.of("idempotency.job.polling-interval=100ms", "idempotency.lease.duration=1s"));
		all.addAll(List.of(properties));
		return RunningApplication.start(database, List.of(JobApplication.class), all.toArray(new String[0]));
	}

	/**
	 * A node in a separate process, which reports when it has reached the point where it
	 * stops.
	 */
	static JavaProcess startProcess(TestDatabase database, Stop stop) {
		return JavaProcess.start(JobApplication.class,
				List.of(database.jdbcUrl(), database.username(), database.password(), STOP + "=" + stop));
	}

	static UUID stage(RunningApplication application, JobType<Labelled> type, String label) {
		UUID id = transaction(application)
			.execute((status) -> application.context().getBean(StagedJobs.class).stage(type, new Labelled(label)));
		if (id == null) {
			throw new IllegalStateException("No id");
		}
		return id;
	}

	static TransactionTemplate transaction(RunningApplication application) {
		return new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class));
	}

	/**
	 * Returns the number of jobs in the queue.
	 */
	static long queued(RunningApplication application) {
		Long count = application.jdbc()
			.queryForObject("select count(*) from idempotency_job where task_name <> ''", Long.class);
		return (count != null) ? count : -1;
	}

	private static void tell(String line) {
		System.out.println(line);
	}

	@Bean
	Gates gates() {
		return new Gates();
	}

	@Bean
	Repaired repaired() {
		return new Repaired(ConcurrentHashMap.newKeySet());
	}

	@Bean
	JobHandler<Labelled> recordHandler(Effects effects, @Value("${" + STOP + ":NOWHERE}") Stop stop) {
		return JobHandler.of(RECORD, (payload) -> {
			effects.recordAndFlush(payload.label());
			switch (stop) {
				case NOWHERE -> {
					// Goes on.
				}
				case IN_HANDLER -> {
					tell(REACHED);
					LockSupport.park();
				}
				case AFTER_COMMIT -> TransactionSynchronizationManager.registerSynchronization(new Halt());
			}
		});
	}

	@Bean
	JobHandler<Labelled> gatedHandler(Effects effects, Gates gates) {
		return JobHandler.of(GATED, (payload) -> {
			effects.record(payload.label());
			gates.pass(payload.label());
		});
	}

	@Bean
	JobHandler<Labelled> failingHandler(Effects effects, Repaired repaired) {
		return JobHandler.of(FAIL, (payload) -> {
			effects.recordAndFlush(payload.label());
			if (!repaired.labels().contains(payload.label())) {
				if (payload.label().endsWith(ERROR)) {
					throw new NoClassDefFoundError("not repaired: " + payload.label());
				}
				throw new IllegalStateException("not repaired: " + payload.label(), new java.io.IOException("secret"));
			}
		});
	}

	@Bean
	JobHandler<Labelled> nestedHandler(IdempotencyOperations operations) {
		return JobHandler.of(NESTED,
				(payload) -> operations.execute(
						IdempotencyRequest.of("test.nested", payload.label()).withAccount(Account.SHARED), Void.class,
						() -> null));
	}

	/**
	 * The labels of jobs that no longer fail.
	 */
	record Repaired(Set<String> labels) {
	}

	enum Stop {

		/**
		 * No fault.
		 */
		NOWHERE,

		/** In the handler, until it is killed. */
		IN_HANDLER,

		/** As soon as the handler's transaction is durable. */
		AFTER_COMMIT

	}

	private static final class Halt implements TransactionSynchronization {

		@Override
		public void afterCommit() {
			tell(REACHED);
			Runtime.getRuntime().halt(137);
		}

	}

}
