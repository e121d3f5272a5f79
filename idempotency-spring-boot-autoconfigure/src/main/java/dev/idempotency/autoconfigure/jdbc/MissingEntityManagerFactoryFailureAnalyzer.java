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
package dev.idempotency.autoconfigure.jdbc;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Describes the start of an application with several data sources and without JPA, to
 * which the starter has brought Spring Data JPA: Spring Boot creates no
 * {@code EntityManagerFactory} then, and its repositories require one.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MissingEntityManagerFactoryFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

	private final BeanFactory beanFactory;

	MissingEntityManagerFactoryFailureAnalyzer(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
		int dataSources = (this.beanFactory instanceof ListableBeanFactory beans)
				? beans.getBeanNamesForType(DataSource.class, true, false).length : 0;
		if (!"entityManagerFactory".equals(cause.getBeanName()) || dataSources < 2) {
			return null;
		}
		return new FailureAnalysis(
				"Spring Data JPA requires a bean 'entityManagerFactory', and Spring Boot creates none for "
						+ dataSources + " data sources without a primary one. "
						+ "idempotency-spring-boot-starter brings Spring Data JPA.",
				"If the application does not use JPA, replace idempotency-spring-boot-starter with "
						+ "idempotency-spring-boot-starter-jdbc, or set spring.data.jpa.repositories.enabled=false. "
						+ "If it does, define the EntityManagerFactory, or mark one data source as @Primary.",
				cause);
	}

}
