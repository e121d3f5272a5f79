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
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.dbscheduler.JobScheduler;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Jobs on several nodes, also on such as are killed.
 */
@Tag("processes")
@Tag("P7")
class JobNodesTests {

	private static final int JOBS = 2000;

	private static final Duration LIMIT = Duration.ofMinutes(2);

	@Test
	void twoNodesDoTwoThousandJobsOnceEach() {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication one = JobApplication.start(database);
				RunningApplication other = JobApplication.start(database)) {
			for (RunningApplication node : new RunningApplication[] { one, other }) {
				JobApplication.transaction(node)
					.executeWithoutResult((status) -> IntStream.range(0, JOBS / 2)
						.forEach((i) -> node.context()
							.getBean(StagedJobs.class)
							.stage(JobApplication.RECORD, new Labelled(node.port() + "-" + i))));
			}
			await().atMost(LIMIT).until(() -> JobApplication.queued(one) == 0);
			assertThat(one.jdbc().queryForObject("select count(*) from effect", Integer.class)).isEqualTo(JOBS);
			assertThat(one.jdbc().queryForObject("select count(distinct label) from effect", Integer.class))
				.isEqualTo(JOBS);
			assertThat(other.context().getBean(StagedJobs.class).dead()).isEmpty();
		}
	}

	/**
	 * In the handler: nothing stays, and another node does the job. After the commit: it
	 * is done, and no other node finds it.
	 */
	@ParameterizedTest
	@EnumSource(value = JobApplication.Stop.class, names = { "IN_HANDLER", "AFTER_COMMIT" })
	void theJobOfAKilledNodeHasOneEffect(JobApplication.Stop stop) {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication survivor = JobApplication.start(database);
				JavaProcess victim = startVictim(survivor, database, stop)) {
			victim.awaitLine(JobApplication.REACHED);
			switch (stop) {
				case IN_HANDLER -> victim.kill();
				default -> {
					victim.awaitExit();
					assertThat(JobApplication.queued(survivor)).as("gone with its effect, not after it").isZero();
				}
			}
			survivor.context().getBean(JobScheduler.class).start();
			await().atMost(LIMIT).until(() -> JobApplication.queued(survivor) == 0);
			assertThat(survivor.effects("killed")).isEqualTo(1);
		}
	}

	/**
	 * The survivor does no jobs before the victim has got this one.
	 */
	private static JavaProcess startVictim(RunningApplication survivor, TestDatabase database,
			JobApplication.Stop stop) {
		survivor.context().getBean(JobScheduler.class).stop();
		JobApplication.stage(survivor, JobApplication.RECORD, "killed");
		return JobApplication.startProcess(database, stop);
	}

}
