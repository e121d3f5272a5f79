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

import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;
import org.hibernate.Session;
import org.hibernate.engine.spi.TransactionCompletionCallbacks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.jpa.autoconfigure.EntityManagerFactoryBuilderCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.autoconfigure.TransactionManagerSelector;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jpa.IdempotencyRecord;
import dev.idempotency.store.jpa.IdempotencyRecordRepository;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class IdempotencyJpaAutoConfigurationTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE);

	@Test
	void registersTheEntityAndSaysHowItClaims(CapturedOutput output) {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(IdempotencyStore.class);
			assertThat(context.getBean(EntityManagerFactory.class).getMetamodel().getEntities())
				.anyMatch((entity) -> entity.getJavaType() == IdempotencyRecord.class);
			assertThat(output.getOut().split("PostgreSQL: transaction-scoped advisory lock, one insert", -1))
				.hasSize(2);
		});
	}

	@Test
	void theRepositoryWaitsUntilItIsRequested() {
		this.contextRunner.run((context) -> {
			ConfigurableListableBeanFactory beans = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class)
				.getBeanFactory();
			assertThat(beans.containsSingleton("idempotencyEngine")).isTrue();
			assertThat(beans.containsSingleton("idempotencyRecordRepository")).isFalse();
			assertThat(context.getBean(IdempotencyRecordRepository.class).count()).isZero();
		});
	}

	@Test
	void leavesThePostProcessorsOfTheApplicationAlone() {
		AtomicBoolean called = new AtomicBoolean();
		this.contextRunner
			.withBean(EntityManagerFactoryBuilderCustomizer.class,
					() -> (builder) -> builder.setPersistenceUnitPostProcessors((unit) -> called.set(true)))
			.run((context) -> {
				assertThat(context.getBean(EntityManagerFactory.class).getMetamodel().getEntities()).hasSize(1);
				assertThat(called).isTrue();
			});
	}

	@Test
	void isSwitchedOffByItsProperty() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyStore.class);
			assertThat(context.getBean(EntityManagerFactory.class).getMetamodel().getEntities()).isEmpty();
		});
	}

	@Test
	void leavesTheStoreOfTheApplicationAlone() {
		IdempotencyStore own = new InMemoryIdempotencyStore("test", InstantSource.system());
		this.contextRunner.withBean(IdempotencyStore.class, () -> own)
			.run((context) -> assertThat(context).getBean(IdempotencyStore.class).isSameAs(own));
	}

	@Test
	void isNotThereWithoutHibernate() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withBean(EntityManagerFactory.class, () -> mock(EntityManagerFactory.class))
			.withClassLoader(new FilteredClassLoader(Session.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyStore.class));
	}

	@Test
	void backsOffWithoutAnEntityManagerFactory() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyStore.class));
	}

	@Test
	void takesTheTransactionManagerThatThePropertyNames() {
		this.contextRunner.withPropertyValues("idempotency.transaction-manager=transactionManager")
			.run((context) -> assertThat(context.getBean(TransactionManagerSelector.class).select())
				.isInstanceOf(JpaTransactionManager.class));
		this.contextRunner.withPropertyValues("idempotency.transaction-manager=elsewhere")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidIdempotentException.class)
				.hasMessageContaining("names 'elsewhere', but there is no such transaction manager"));
	}

	/**
	 * Its commits would not check leases.
	 */
	@Test
	void refusesATransactionManagerWithoutListeners() {
		this.contextRunner.withUserConfiguration(WrappedTransactions.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidIdempotentException.class, (failure) -> {
					assertThat(failure.getSubject()).contains(Wrapper.class.getName(), "no listeners");
					assertThat(failure.getAction()).contains("AbstractPlatformTransactionManager",
							"idempotency.transaction-manager");
				}));
	}

	@ParameterizedTest
	@ValueSource(strings = { "OracleDialect", "MySQLDialect", "MariaDBDialect" })
	void refusesADatabaseThatItHasNoStatementsFor(String dialect) {
		this.contextRunner
			.withPropertyValues("idempotency.schema.management=none",
					"spring.jpa.database-platform=org.hibernate.dialect." + dialect,
					"spring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidIdempotentException.class, (failure) -> {
					assertThat(failure.getSubject()).contains(dialect,
							"the supported databases are PostgreSQL, and H2 for tests");
					assertThat(failure.getAction()).contains("spring.datasource.url", "idempotency.enabled=false");
				}));
	}

	/**
	 * Such as 7.1, which cannot send a record with the COMMIT: it is a statement of its
	 * own there.
	 */
	@Test
	void startsWithAHibernateThatHasNoCallbacksOfTheCommit() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(TransactionCompletionCallbacks.class))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(IdempotencyStore.class));
	}

	/**
	 * The check of the database is Hibernate's knowledge, not a connection.
	 */
	@Test
	void withoutSchemaManagementTheLibraryTakesNoConnectionAtStartUp() {
		assertThat(connectionsAtStartUp("idempotency.schema.management=none"))
			.isEqualTo(connectionsAtStartUp("idempotency.enabled=false"));
		connectionsAtStartUp("idempotency.schema.management=flyway");
		// One looks at the tables, one at the secret of the earlier start.
		assertThat(connectionsAtStartUp("idempotency.schema.management=validate"))
			.isEqualTo(connectionsAtStartUp("idempotency.enabled=false") + 2);
	}

	private int connectionsAtStartUp(String... properties) {
		Counting dataSource = new Counting();
		this.contextRunner.withBean(DataSource.class, () -> dataSource)
			.withPropertyValues("idempotency.reaper.enabled=false")
			.withPropertyValues(properties)
			.run((context) -> assertThat(context).hasNotFailed());
		return dataSource.connections.get();
	}

	private static final class Counting extends DriverManagerDataSource {

		private final AtomicInteger connections = new AtomicInteger();

		Counting() {
			super(DATABASE.jdbcUrl(), DATABASE.username(), DATABASE.password());
		}

		@Override
		public Connection getConnection() throws SQLException {
			this.connections.incrementAndGet();
			return super.getConnection();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WrappedTransactions {

		@Bean
		PlatformTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
			return new Wrapper(new JpaTransactionManager(entityManagerFactory));
		}

	}

	/**
	 * A transaction manager around Spring's.
	 */
	private record Wrapper(PlatformTransactionManager target) implements PlatformTransactionManager {

		@Override
		public TransactionStatus getTransaction(TransactionDefinition definition) {
			return this.target.getTransaction(definition);
		}

		@Override
		public void commit(TransactionStatus status) {
			this.target.commit(status);
		}

		@Override
		public void rollback(TransactionStatus status) {
			this.target.rollback(status);
		}

	}

}
