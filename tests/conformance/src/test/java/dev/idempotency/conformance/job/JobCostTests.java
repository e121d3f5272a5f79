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

import java.util.List;

import dev.idempotency.conformance.app.AnnotatedService;
import dev.idempotency.conformance.app.CostMeter;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.PostgresTap;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.job.StagedJobs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cost of staged jobs for the database, measured from the wire. The node has no
 * handlers.
 */
@Tag("postgresql")
@Tag("P7")
@Tag("COST")
class JobCostTests {

	private static PostgresTap tap;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		tap = PostgresTap.open(MigratedDatabase.create());
		application = CostMeter.withoutTestsOfConnections(() -> RunningApplication.start(tap.database(),
				List.of(NoHandlers.class, AnnotatedService.class), "spring.datasource.hikari.maximum-pool-size=2",
				"spring.datasource.hikari.keepalive-time=0", "idempotency.reaper.enabled=false",
				"idempotency.job.polling-interval=100ms", "idempotency.lease.duration=1s"));
		for (int i = 0; i < 20; i++) {
			stage();
		}
	}

	@AfterAll
	static void stop() {
		application.close();
		tap.close();
	}

	private static void stage() {
		JobApplication.transaction(application).executeWithoutResult((status) -> {
			application.context().getBean(Effects.class).recordAndFlush("cost");
			application.context().getBean(StagedJobs.class).stage(JobApplication.RECORD, new Labelled("cost"));
		});
	}

	/**
	 * A node that looked for jobs would be seen here too.
	 */
	@Test
	void stagingIsOneInsertInTheTransactionOfTheCaller() {
		tap.clear();
		stage();
		assertThat(tap.roundTrips()).containsExactly("BEGIN; insert effect", "insert idempotency_job", "COMMIT");
	}

	@Configuration(proxyBeanMethods = false)
	static class NoHandlers {

	}

}
