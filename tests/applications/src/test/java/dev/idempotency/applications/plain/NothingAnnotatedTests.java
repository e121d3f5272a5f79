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

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.applications.plain.devtools.DevtoolsApplication;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that have annotated nothing, in processes with the starter on the class
 * path and without it.
 */
@Tag("X1")
class NothingAnnotatedTests {

	/**
	 * Beans that Spring MVC or the aspect asks for at start, as part of themselves: the
	 * interceptor, the adapter, the filter and what they are made of. None of them knows
	 * the database.
	 */
	private static final int MOST_BEANS = 45;

	/**
	 * A slice that the library has no part in.
	 */
	private static final String MVC = "slice of MVC";

	/**
	 * Asks Spring Security's in the same place, and has nothing to add.
	 */
	private static final String FORM_FIELDS = "requestDataValueProcessor";

	@Test
	void aSchemaThatIsFullAndValidatedStaysAsItIs() {
		assertThat(compare(Applications.WITH_JPA, "validated")).contains("table payment");
	}

	@Test
	void aDefaultSchemaThatHibernateFillsAndEmptiesStaysAsItIs() {
		assertThat(compare(Applications.WITH_JPA, "default schema")).contains("table payment");
	}

	@Test
	void liquibaseFillsAnEmptyDatabase() {
		assertThat(compare(Applications.WITH_LIQUIBASE, "change log")).contains("table payment",
				"table databasechangelog");
	}

	@Test
	void theDefaultsOfAnEmbeddedDatabaseStay() {
		assertThat(compare(Applications.WITH_JPA, "h2")).contains("table PAYMENT");
	}

	@Test
	void aDatabaseThatTheLibraryDoesNotKnowIsNoneOfItsBusiness() {
		assertThat(compare(Applications.WITH_JPA, "hsqldb")).contains("table PAYMENT");
	}

	@ParameterizedTest
	@ValueSource(strings = { "no address", "address of PostgreSQL" })
	void aMissingDriverIsReportedAsWithoutTheStarter(String name) {
		Run with = Applications.WITHOUT_DRIVER.with(name);
		assertThat(with.facts("failure ")).as(with::toString).hasSize(1);
		assertThat(with.toString()).containsPattern("suitable driver class|org.postgresql.Driver");
		assertThat(with.facts("")).isEqualTo(Applications.WITHOUT_DRIVER.without(name).facts(""));
		assertThat(with.log()).containsExactlyInAnyOrderElementsOf(Applications.WITHOUT_DRIVER.without(name).log());
	}

	@Test
	void aSliceOfJpaStaysAsItIs() {
		assertThat(compare(Applications.WITH_JPA, "slice of JPA")).contains("table PAYMENT")
			.noneMatch((fact) -> fact.startsWith("mapping "));
	}

	@Test
	void aSliceOfMvcStaysAsItIs() {
		assertThat(compare(Applications.WITHOUT_JPA, MVC)).contains("mapping {POST [/payments]}")
			.noneMatch((fact) -> fact.startsWith("table "));
	}

	@Test
	void anApplicationWithoutJpaStaysAsItIs() {
		compare(Applications.WITHOUT_JPA, "jdbc");
	}

	@Test
	void aDatabaseThatIsDownIsNotLookedAt() {
		compare(Applications.WITHOUT_JPA, "down");
	}

	@Test
	void severalDataSourcesAndTransactionManagersNeedNoPrimary() {
		compare(Applications.WITHOUT_JPA, "several");
	}

	@Test
	void methodSecurityStaysAsItIs() {
		compare(Applications.WITH_SECURITY_AND_BROKERS, "method security");
	}

	@Test
	void repositoriesOfSpringDataJdbcStayAsTheyAre() {
		compare(Applications.WITH_DATA_JDBC, "repository");
	}

	@Test
	void jooqStaysAsItIs() {
		compare(Applications.WITH_JOOQ, "jooq");
	}

	@Test
	void springDataRestStaysAsItIs() {
		assertThat(compare(Applications.WITH_DATA_REST, "repositories")).contains("table PAYMENT");
	}

	@Test
	void kotlinAndItsCoroutinesStayAsTheyAre() {
		assertThat(compare(Applications.WITH_KOTLIN, "kotlin")).contains("mapping {POST [/payments]}",
				"mapping {POST [/suspended]}");
	}

	@Test
	void listenersAndTheirRegistriesStayAsTheyAre() {
		compare(Applications.WITH_SECURITY_AND_BROKERS, "brokers");
	}

	@Test
	void whatDevtoolsHasRestartedStaysAsItIs() {
		compare(Applications.WITH_DEVTOOLS, DevtoolsApplication.SECOND);
	}

	/**
	 * Everything is the same but for the library's own definitions of beans, of which few
	 * are created.
	 */
	private static List<String> compare(Applications applications, String name) {
		Run with = applications.with(name);
		Run without = applications.without(name);
		assertThat(without.facts("thread ")).as(without::toString).hasSize(1);
		List<String> added = new ArrayList<>(with.facts("bean "));
		added.removeAll(without.facts("bean "));
		assertThat(added.isEmpty()).as("the starter is there").isEqualTo(name.equals(MVC));
		assertThat(added).as(with::toString)
			.allMatch((bean) -> bean.contains("idempot") || bean.equals("bean " + FORM_FIELDS));
		assertThat(with.facts("bean ")).containsAll(without.facts("bean "));
		assertThat(with.facts("class "))
			.containsAll(without.facts("class ").stream().filter((type) -> !type.contains(FORM_FIELDS)).toList());
		for (String kind : List.of("table ", "health ", "mapping ", "thread ")) {
			assertThat(with.facts(kind)).as(kind).containsExactlyInAnyOrderElementsOf(without.facts(kind));
		}
		assertThat(with.log()).containsExactlyInAnyOrderElementsOf(without.log());
		String created = with.facts("number of created ").get(0);
		assertThat(Integer.parseInt(created.substring("number of created ".length())))
			.as(with.facts("created ")::toString)
			.isLessThanOrEqualTo(MOST_BEANS);
		return with.facts("");
	}

}
