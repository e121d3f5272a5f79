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
package dev.idempotency.applications.plain;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.applications.plain.devtools.DevtoolsApplication;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications of several kinds that have annotated an operation: it is protected, or
 * refused with what to do.
 */
class AnnotatedTests {

	@Test
	@Tag("X1")
	void aDatabaseThatIsNotKnownIsRefusedWithWhatToDo() {
		assertThat(refusal(Applications.WITHOUT_JPA, "unknown database")).contains("HSQL Database Engine");
	}

	@Test
	@Tag("R1")
	void anOperationOnH2NeedsNoDriverOfPostgresql() {
		Run run = Applications.WITH_DATA_REST.with("annotated h2");
		assertReplayed(run);
		assertThat(run.facts("answer ")).first().asString().isEqualTo("answer 200 original 1");
		assertThat(run.facts("table ")).contains("table PAYMENT", "table IDEMPOTENCY_RECORD")
			.as("of a module that is not there")
			.doesNotContain("table IDEMPOTENCY_JOB", "table IDEMPOTENCY_DEAD_JOB");
	}

	@Test
	void aMissingDriverIsReportedBySpringBoot() {
		Run run = Applications.WITHOUT_DRIVER.with("annotated without an address");
		assertThat(refusal(Applications.WITHOUT_DRIVER, "annotated without an address"))
			.contains("Failed to configure a DataSource", "Failed to determine a suitable driver class");
		assertThat(run.toString()).doesNotContain("dev.idempotency.exception");
	}

	@Test
	@Tag("O7")
	void jpaThatCameWithTheStarterIsNamedWhereSeveralDataSourcesPreventIt() {
		assertThat(refusal(Applications.WITH_JPA, "several with JPA"))
			.contains("idempotency-spring-boot-starter-jdbc", "spring.data.jpa.repositories.enabled=false")
			.doesNotContain("dev.idempotency.exception");
	}

	@Test
	@Tag("R1")
	void anOperationOfJooqAloneIsProtected() {
		Run run = Applications.WITH_JOOQ.with("annotated jooq");
		assertReplayed(run);
		assertThat(run.facts("answer ")).first().asString().isEqualTo("answer 200 original 1");
		assertThat(run.facts("table ")).contains("table payment", "table idempotency_record");
	}

	@Test
	@Tag("X1")
	void aControllerOfSpringDataRestIsRefusedWithWhatToDo() {
		assertThat(refusal(Applications.WITH_DATA_REST, "base path")).contains("Payments#pay",
				"Make the class a @RestController");
	}

	@Test
	@Tag("R1")
	void anEndpointInKotlinIsProtected() {
		Run run = Applications.WITH_KOTLIN.with("annotated kotlin");
		assertReplayed(run);
		assertThat(run.facts("answer ")).first()
			.asString()
			.contains("201 original", "\"text\":\"rent\"", "\"note\":null");
	}

	@Test
	@Tag("R1")
	void aServiceInKotlinIsProtected() {
		Run run = Applications.WITH_KOTLIN.with("annotated kotlin service");
		assertThat(run.facts("answer ")).as(run::toString).hasSize(2);
		assertThat(run.facts("answer ").get(0)).startsWith("answer 200 original {");
		assertThat(run.facts("answer ").get(1)).isEqualTo(run.facts("answer ").get(0));
	}

	@Test
	@Tag("X19")
	void aSuspendingFunctionIsRefusedWithWhatToDo() {
		assertThat(refusal(Applications.WITH_KOTLIN, "suspending")).contains("is a suspending function", "LEASED");
	}

	@Test
	@Tag("O4")
	void aSuspendingFunctionIsProtectedByALease() {
		Run run = Applications.WITH_KOTLIN.with("leased");
		assertReplayed(run);
		assertThat(run.facts("answer ")).first().asString().startsWith("answer 200 original ");
	}

	@Test
	void aClassInKotlinThatIsNotOpenIsRefusedWithWhatToDo() {
		assertThat(refusal(Applications.WITH_KOTLIN, "closed")).contains("has no effect", "final");
	}

	@Test
	@Tag("R1")
	void whatDevtoolsHasRestartedAnswersARetryFromBefore() {
		Run run = Applications.RESTARTED.with(DevtoolsApplication.SECOND);
		assertThat(run.facts("answer ")).as(run::toString)
			.hasSize(2)
			.allMatch((answer) -> answer.equals("answer 200 true 1"));
	}

	private static String refusal(Applications applications, String name) {
		Run run = applications.with(name);
		assertThat(run.facts("failure ")).as(run::toString).hasSize(1);
		assertThat(run.toString()).contains("APPLICATION FAILED TO START", "Action:");
		return run.toString();
	}

	private static void assertReplayed(Run run) {
		assertThat(run.facts("answer ")).as(run::toString).hasSize(2);
		assertThat(run.facts("answer ").get(1)).isEqualTo(run.facts("answer ").get(0).replace("original", "true"));
	}

}
