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

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.exception.UnenforcedIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Annotated operations in an application without an engine.
 */
class UnenforcedTests {

	private final ApplicationContextRunner withoutStore = new ApplicationContextRunner()
		.withConfiguration(TestContexts.LIBRARY)
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));

	@Test
	void anOperationWithoutADataSourceIsRefused() {
		this.withoutStore.withBean(Payments.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "has no DataSource",
					"Set spring.datasource.url"));
	}

	@Test
	void anOperationWithoutJpaIsRefusedWithTheConditionThatDidNotMatch() {
		this.withoutStore.withBean(Payments.class)
			.withBean(DataSource.class, () -> mock(DataSource.class))
			.withPropertyValues("idempotency.schema.management=none")
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay", "no transaction manager",
					"Add spring-boot-starter-jdbc and dev.idempotency:idempotency-jdbc"));
	}

	@Test
	void theConditionsThatDidNotMatchAreShown() {
		this.withoutStore.withBean(Payments.class)
			.run((context) -> assertThat(context.getStartupFailure().getMessage())
				.contains("IdempotencyJpaAutoConfiguration: ", "EntityManagerFactory")
				.contains("IdempotencyAutoConfiguration: ", "IdempotencyStore"));
	}

	@Test
	void severalDataSourcesWithoutAPrimaryOneAreNamed() {
		this.withoutStore.withBean(Payments.class)
			.withBean("first", DataSource.class, () -> mock(DataSource.class))
			.withBean("second", DataSource.class, () -> mock(DataSource.class))
			.withPropertyValues("idempotency.schema.management=none")
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay",
					"DataSource beans first, second, of which none is primary", "@Primary"));
	}

	@Test
	void anOperationWithoutJacksonIsRefused() {
		TestContexts.withoutDatabase()
			.withClassLoader(new FilteredClassLoader(JsonMapper.class))
			.withBean(Payments.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Payments#pay",
					"Jackson 3 is not on the class path", "Add spring-boot-starter-jackson"));
	}

	@Test
	void everyOperationIsListed() {
		this.withoutStore.withBean(Payments.class)
			.withBean(Cards.class)
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOfSatisfying(
					UnenforcedIdempotentException.class, (failure) -> assertThat(failure.getOperations())
						.containsExactlyInAnyOrder("Payments#pay", "Cards#charge")));
	}

	@Test
	void theFailureAnalysisListsTheOperationsAndSaysWhatToWrite() {
		this.withoutStore.withBean(Payments.class).run((context) -> {
			var analysis = new UnenforcedIdempotentFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith("@Idempotent has no effect on:")
				.contains("- Payments#pay");
			assertThat(analysis.getAction()).contains("idempotency.enabled=false");
		});
	}

	@Test
	void controllersWithoutAStoreAreRefused() {
		new WebApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withBean(Controller.class)
			.run((context) -> assertUnenforced(context.getStartupFailure(), "Controller#pay", "has no DataSource",
					"Set spring.datasource.url"));
	}

	@Test
	void nothingAnnotatedIsNothingToRefuse() {
		this.withoutStore.withBean(Plain.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyEngine.class));
	}

	@Test
	void theLibrarySwitchedOffRefusesNothing() {
		this.withoutStore.withBean(Payments.class)
			.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static void assertUnenforced(Throwable failure, String operation, String reason, String action) {
		assertThat(failure).isInstanceOfSatisfying(UnenforcedIdempotentException.class, (unenforced) -> {
			assertThat(unenforced.getOperations()).contains(operation);
			assertThat(unenforced.getReason()).contains(reason);
			assertThat(unenforced.getAction()).contains(action);
		});
	}

	static class Payments {

		@Idempotent(key = "#p0")
		String pay(String id) {
			return id;
		}

	}

	static class Cards {

		@Idempotent(key = "#p0")
		String charge(String id) {
			return id;
		}

	}

	static class Plain {

		String pay(String id) {
			return id;
		}

	}

	@RestController
	static class Controller {

		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

}
