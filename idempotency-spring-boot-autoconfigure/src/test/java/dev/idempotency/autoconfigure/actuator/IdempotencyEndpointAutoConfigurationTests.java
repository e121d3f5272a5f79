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
package dev.idempotency.autoconfigure.actuator;

import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyEndpointAutoConfigurationTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=*";

	private static final TestDatabase DATABASE = TestDatabase.create();

	/**
	 * An application reads its properties with the conversions of Spring Boot.
	 */
	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE)
		.withInitializer(
				(context) -> context.getEnvironment().setConversionService(new ApplicationConversionService()));

	@Test
	void isThereWhereItIsExposed() {
		this.contextRunner.withPropertyValues(EXPOSED)
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyEndpoint.class)
				.hasSingleBean(IdempotencyEndpoint.Web.class)
				.hasSingleBean(IdempotencyLookupEndpoint.class)
				.hasSingleBean(IdempotencyJobsEndpoint.class));
	}

	@Test
	void isNotThereByDefault() {
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(IdempotencyEndpoint.class)
			.doesNotHaveBean(IdempotencyEndpoint.Web.class)
			.doesNotHaveBean(IdempotencyLookupEndpoint.class)
			.doesNotHaveBean(IdempotencyJobsEndpoint.class));
	}

	@Test
	void eachIsSwitchedOffByItsProperty() {
		this.contextRunner.withPropertyValues(EXPOSED, "management.endpoint.idempotency.access=none")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyEndpoint.class)
				.doesNotHaveBean(IdempotencyEndpoint.Web.class)
				.hasSingleBean(IdempotencyLookupEndpoint.class));
		this.contextRunner.withPropertyValues(EXPOSED, "idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyEndpoint.class)
				.doesNotHaveBean(IdempotencyLookupEndpoint.class)
				.doesNotHaveBean(IdempotencyJobsEndpoint.class));
	}

	@Test
	void hasNoJobsWhereThereAreNone() {
		this.contextRunner.withPropertyValues(EXPOSED, "idempotency.job.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(StagedJobs.class)
				.doesNotHaveBean(IdempotencyJobsEndpoint.class)
				.getBean(IdempotencyEndpoint.class)
				.satisfies((endpoint) -> assertThat(endpoint.summary().deadJobs()).isNull()));
	}

	@Test
	void leavesTheEndpointOfTheApplicationAlone() {
		this.contextRunner.withPropertyValues(EXPOSED)
			.withBean("idempotencyLookupEndpoint", OwnEndpoint.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(OwnEndpoint.class)
				.hasSingleBean(IdempotencyEndpoint.class)
				.doesNotHaveBean(IdempotencyLookupEndpoint.class));
	}

	@Test
	void isNotThereWithoutTheActuator() {
		this.contextRunner.withPropertyValues(EXPOSED)
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("idempotencyEndpoint")
				.doesNotHaveBean("idempotencyJobsEndpoint"));
	}

	@Test
	void backsOffWithoutAStoreThatOperatorsCanAsk() {
		TestContexts.withoutDatabase()
			.withPropertyValues(EXPOSED)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyEndpoint.class)
				.doesNotHaveBean(IdempotencyLookupEndpoint.class));
	}

	@Endpoint(id = "idempotencylookup")
	static class OwnEndpoint {

	}

}
