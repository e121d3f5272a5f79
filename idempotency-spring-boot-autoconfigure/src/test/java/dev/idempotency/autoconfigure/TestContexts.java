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
package dev.idempotency.autoconfigure;

import java.time.InstantSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import dev.idempotency.autoconfigure.actuator.IdempotencyEndpointAutoConfiguration;
import dev.idempotency.autoconfigure.actuator.IdempotencyHealthAutoConfiguration;
import dev.idempotency.autoconfigure.cache.IdempotencyCacheAutoConfiguration;
import dev.idempotency.autoconfigure.client.IdempotencyClientAutoConfiguration;
import dev.idempotency.autoconfigure.console.IdempotencyConsoleAutoConfiguration;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJpaAutoConfiguration;
import dev.idempotency.autoconfigure.job.IdempotencyJobAutoConfiguration;
import dev.idempotency.autoconfigure.messaging.IdempotencyMessagingAutoConfiguration;
import dev.idempotency.autoconfigure.observability.IdempotencyMetricsAutoConfiguration;
import dev.idempotency.autoconfigure.outbox.IdempotencyOutboxAutoConfiguration;
import dev.idempotency.autoconfigure.security.IdempotencySecurityAutoConfiguration;
import dev.idempotency.autoconfigure.web.IdempotencyWebMvcAutoConfiguration;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.testsupport.TestDatabase;

/**
 * The starting point of the tests of the auto-configurations.
 */
public final class TestContexts {

	/**
	 * All auto-configurations of the library, in no particular order, and what
	 * applications always have.
	 */
	public static final AutoConfigurations LIBRARY = AutoConfigurations.of(AopAutoConfiguration.class,
			PropertyPlaceholderAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class,
			IdempotencyMetricsAutoConfiguration.class, IdempotencyEndpointAutoConfiguration.class,
			IdempotencyHealthAutoConfiguration.class, IdempotencyJobAutoConfiguration.class,
			IdempotencyAutoConfiguration.class, IdempotencyCacheAutoConfiguration.class,
			IdempotencyJpaAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class,
			IdempotencySecurityAutoConfiguration.class, IdempotencyClientAutoConfiguration.class,
			IdempotencyMessagingAutoConfiguration.class, IdempotencyOutboxAutoConfiguration.class,
			IdempotencyConsoleAutoConfiguration.class);

	private TestContexts() {
	}

	/**
	 * The library with a store and a transaction manager that the application brings.
	 */
	public static ApplicationContextRunner withoutDatabase() {
		return new ApplicationContextRunner().withConfiguration(LIBRARY)
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
			.withUserConfiguration(OwnStore.class)
			.withPropertyValues("spring.application.name=test");
	}

	/**
	 * The library with Spring MVC, and a store and a transaction manager that the
	 * application brings.
	 */
	public static WebApplicationContextRunner web() {
		return new WebApplicationContextRunner().withConfiguration(LIBRARY)
			.withConfiguration(
					AutoConfigurations.of(JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
							DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
			.withUserConfiguration(OwnStore.class);
	}

	/**
	 * The library with JPA on a database.
	 */
	public static ApplicationContextRunner with(TestDatabase database) {
		return new ApplicationContextRunner().withConfiguration(LIBRARY)
			.withConfiguration(
					AutoConfigurations.of(DataSourceAutoConfiguration.class, HibernateJpaAutoConfiguration.class,
							TransactionAutoConfiguration.class, JacksonAutoConfiguration.class))
			.withUserConfiguration(InUse.class)
			.withPropertyValues("spring.application.name=test", "spring.datasource.url=" + database.jdbcUrl(),
					"spring.datasource.username=" + database.username(),
					"spring.datasource.password=" + database.password(), "spring.datasource.hikari.minimum-idle=0");
	}

	/**
	 * An application that was given what leads to the records, where that is.
	 */
	@Configuration(proxyBeanMethods = false)
	public static class InUse {

		InUse(ObjectProvider<IdempotencyEngine> engine) {
			engine.getIfAvailable();
		}

	}

	@Configuration(proxyBeanMethods = false)
	public static class OwnStore {

		@Bean
		IdempotencyStore ownStore() {
			return new InMemoryIdempotencyStore("test", InstantSource.system());
		}

		@Bean
		PlatformTransactionManager transactionManager() {
			return new NothingToCommit();
		}

	}

	private static final class NothingToCommit extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			// Nothing to begin.
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			// Nothing to commit.
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			// Nothing to roll back.
		}

	}

}
