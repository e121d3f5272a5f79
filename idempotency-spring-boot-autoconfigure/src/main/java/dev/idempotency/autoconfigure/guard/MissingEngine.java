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

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport.ConditionAndOutcome;
import org.springframework.util.ClassUtils;

import dev.idempotency.store.IdempotencyStore;

/**
 * The reason for a missing engine, and the action to take.
 *
 * @param reason the reason, in sentences
 * @param action the correction, a sentence
 */
record MissingEngine(String reason, String action) {

	static final List<String> LEADING_TO_THE_ENGINE = List.of(
			"dev.idempotency.autoconfigure.jdbc.IdempotencyJpaAutoConfiguration",
			"dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration",
			"dev.idempotency.autoconfigure.IdempotencyAutoConfiguration");

	/**
	 * Finds the reason why the engine is missing.
	 * @param beanFactory the beans of the application
	 */
	static MissingEngine in(ConfigurableListableBeanFactory beanFactory) {
		MissingEngine found = find(beanFactory);
		String conditions = conditions(beanFactory);
		return conditions.isEmpty() ? found : new MissingEngine(found.reason + conditions, found.action);
	}

	private static MissingEngine find(ConfigurableListableBeanFactory beanFactory) {
		List<String> excluded = excluded(beanFactory);
		if (!excluded.isEmpty()) {
			return new MissingEngine("The engine is missing: " + String.join(", ", excluded) + " is excluded.",
					"Remove the exclusion.");
		}
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		if (!ClassUtils.isPresent("org.springframework.transaction.PlatformTransactionManager", classLoader)) {
			return new MissingEngine("The engine is missing: Spring's transactions are not on the class path.",
					"Add spring-boot-starter-jdbc or spring-boot-starter-data-jpa.");
		}
		if (!ClassUtils.isPresent("tools.jackson.databind.json.JsonMapper", classLoader)) {
			return new MissingEngine("The engine is missing: Jackson 3 is not on the class path.",
					"Add spring-boot-starter-jackson.");
		}
		if (beanFactory.getBeanNamesForType(IdempotencyStore.class, true, false).length == 0) {
			return withoutStore(beanFactory);
		}
		return new MissingEngine("The engine is missing.", "See the conditions that did not match.");
	}

	private static MissingEngine withoutStore(ConfigurableListableBeanFactory beanFactory) {
		List<String> dataSources = List.of(LibraryBeans.names(beanFactory, "javax.sql.DataSource"));
		if (dataSources.isEmpty()) {
			return new MissingEngine("The store for the records is missing: the application has no DataSource.",
					"Set spring.datasource.url, or declare a bean of type DataSource or IdempotencyStore.");
		}
		if (LibraryBeans.names(beanFactory, "jakarta.persistence.EntityManagerFactory").length > 0) {
			return new MissingEngine("The store for the records is missing: the application has an "
					+ "EntityManagerFactory, but no transaction manager, or idempotency-jdbc is not on the class path.",
					"Declare a JpaTransactionManager, and add dev.idempotency:idempotency-jpa, which includes "
							+ "idempotency-jdbc; or declare a bean of type IdempotencyStore.");
		}
		if (dataSources.size() > 1 && dataSources.stream().noneMatch((name) -> isPrimary(beanFactory, name))) {
			return new MissingEngine("The store for the records is missing: the application has the DataSource beans "
					+ String.join(", ", dataSources) + ", of which none is primary, and no transaction manager.",
					"Make the DataSource of the business rows @Primary, or declare a transaction manager for it.");
		}
		return new MissingEngine(
				"The store for the records is missing: the application has a DataSource, but no transaction manager, or "
						+ "idempotency-jdbc is not on the class path.",
				"Add spring-boot-starter-jdbc and dev.idempotency:idempotency-jdbc, or spring-boot-starter-data-jpa and "
						+ "dev.idempotency:idempotency-jpa; or declare a bean of type IdempotencyStore.");
	}

	private static boolean isPrimary(ConfigurableListableBeanFactory beanFactory, String name) {
		return beanFactory.containsBeanDefinition(name) && beanFactory.getMergedBeanDefinition(name).isPrimary();
	}

	private static List<String> excluded(ConfigurableListableBeanFactory beanFactory) {
		ConditionEvaluationReport report = ConditionEvaluationReport.find(beanFactory);
		return (report != null) ? LEADING_TO_THE_ENGINE.stream().filter(report.getExclusions()::contains).toList()
				: List.of();
	}

	/**
	 * Returns the unmet conditions, which cover all other reasons.
	 */
	private static String conditions(ConfigurableListableBeanFactory beanFactory) {
		ConditionEvaluationReport report = ConditionEvaluationReport.find(beanFactory);
		if (report == null) {
			return "";
		}
		return LEADING_TO_THE_ENGINE.stream().flatMap((type) -> unmatched(report, type)).collect(Collectors.joining());
	}

	private static Stream<String> unmatched(ConditionEvaluationReport report, String type) {
		var outcomes = report.getConditionAndOutcomesBySource().get(type);
		if (outcomes == null || outcomes.isFullMatch()) {
			return Stream.empty();
		}
		return outcomes.stream()
			.filter((outcome) -> !outcome.getOutcome().isMatch())
			.map((ConditionAndOutcome outcome) -> "%n%n\t%s: %s".formatted(ClassUtils.getShortName(type),
					outcome.getOutcome().getMessage()));
	}

}
