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
package dev.idempotency.autoconfigure.guard;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.autoconfigure.web.IdempotencyWebMvcAutoConfiguration;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link MissingModules}.
 */
class MissingModulesTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase();

	@ParameterizedTest
	@CsvSource({
			"idempotency.cache.local.enabled, com.github.benmanes.caffeine, com.github.ben-manes.caffeine:caffeine",
			"idempotency.client.enabled, dev.idempotency.client, dev.idempotency:idempotency-client",
			"idempotency.outbox.enabled, dev.idempotency.outbox, dev.idempotency:idempotency-messaging" })
	void aFeatureWithoutItsModuleStopsTheApplicationAndNamesIt(String property, String hidden, String module) {
		this.contextRunner.withClassLoader(new FilteredClassLoader(hidden))
			.withPropertyValues(property + "=true")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(InvalidIdempotentException.class, (failure) -> {
					assertThat(failure.getSubject()).contains(property, module + " is not on the class path");
					assertThat(failure.getAction()).contains("Add " + module);
				}));
	}

	@Test
	void aJobHandlerWithoutTheModuleOfJobsStopsTheApplication() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("dev.idempotency.job.dbscheduler"))
			.withBean(JobHandler.class, () -> JobHandler.of(JobType.of("mail", String.class), (payload) -> {
			}))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(InvalidIdempotentException.class,
						(failure) -> assertThat(failure.getAction()).contains("dev.idempotency:idempotency-jobs")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "com.github.benmanes.caffeine", "dev.idempotency.client", "dev.idempotency.outbox",
			"dev.idempotency.messaging", "dev.idempotency.job.dbscheduler" })
	void withoutAModuleThatNobodyUsesTheApplicationStarts(String hidden) {
		this.contextRunner.withClassLoader(new FilteredClassLoader(hidden))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void withoutAllOptionalModulesTheEndpointsAreProtected() {
		TestContexts.web()
			.withClassLoader(new FilteredClassLoader("com.github.benmanes.caffeine", "dev.idempotency.client",
					"dev.idempotency.outbox", "dev.idempotency.messaging", "dev.idempotency.job.dbscheduler",
					"dev.idempotency.store.jpa", "dev.idempotency.store.jdbc", "dev.idempotency.database"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotencyWebMvcAutoConfiguration.class));
	}

}
